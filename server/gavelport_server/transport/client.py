"""A blocking client of the services, for the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from google.protobuf.message import Message

from gavelport_server.transport.home import TransportError
from gavelport_server.transport.link import ServiceError, StatusCode
from gavelport_server.transport.methods import method_taking
from gavelport_server.transport.tls import is_local

M = TypeVar("M", bound=Message)

CALL_S = 30.0
"""How long to wait for an answer."""
UPLOAD_S = 600.0
"""How long sending a stream of requests may take, with its answer."""
_MAX_ANSWER_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Trust:
    """PEM files on the client's side."""

    ca: Path | None = None
    """Authorities that the server's certificate is to be signed by; None: those that gRPC comes with."""
    cert: Path | None = None
    """One's own certificate, for a server that asks for one; with `key`."""
    key: Path | None = None


class Client:
    """A connection to a server, which is a context manager."""

    def __init__(self, target: str, token: str, trust: Trust = Trust()) -> None:
        """Take where the server is. Off this machine, or with an authority given, TLS is used.

        Raises:
            TransportError: a PEM file cannot be read.
        """
        options = [("grpc.max_receive_message_length", _MAX_ANSWER_BYTES), ("grpc.enable_http_proxy", 0)]
        if is_local(target) and trust == Trust():
            self._channel = grpc.insecure_channel(target, options)
        else:
            credentials = grpc.ssl_channel_credentials(_pem(trust.ca), _pem(trust.key), _pem(trust.cert))
            self._channel = grpc.secure_channel(target, credentials, options)
        self._metadata = (("authorization", f"Bearer {token}"),)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    def call(self, request: Message, response: type[M]) -> M:
        """Return the answer to a request. Raises ServiceError."""
        method: Any = self._channel.unary_unary(
            _path(request), request_serializer=_serialize, response_deserializer=response.FromString
        )
        try:
            answer: M = method(request, timeout=CALL_S, metadata=self._metadata)
        except grpc.RpcError as error:
            raise _told(error) from None
        return answer

    def upload(self, requests: Iterable[Message], kind: type[Message], response: type[M]) -> M:
        """Return the answer to a stream of requests, which are all of one kind. Raises ServiceError."""
        method: Any = self._channel.stream_unary(
            _path(kind), request_serializer=_serialize, response_deserializer=response.FromString
        )
        try:
            answer: M = method(iter(requests), timeout=UPLOAD_S, metadata=self._metadata)
        except grpc.RpcError as error:
            raise _told(error) from None
        return answer

    def stream(self, request: Message, response: type[M]) -> Iterator[M]:
        """Return the answers to a request as they come. Raises ServiceError."""
        method: Any = self._channel.unary_stream(
            _path(request), request_serializer=_serialize, response_deserializer=response.FromString
        )
        call = method(request, metadata=self._metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise _told(error) from None
        finally:
            call.cancel()


def _path(request: Message | type[Message]) -> str:
    """Return where a request is sent to."""
    method = method_taking(request)
    return f"/{method.containing_service.full_name}/{method.name}"


def _serialize(request: Message) -> bytes:
    return request.SerializeToString()


def _pem(path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as error:
        raise TransportError(f"{path} cannot be read: {os.strerror(error.errno or 0)}; name a file in PEM") from error


def _told(error: Any) -> ServiceError:
    """Return what a server said, or that there is none."""
    number = error.code().value[0]
    known = number in StatusCode.__members__.values()
    retry = dict(error.trailing_metadata() or ()).get("retry-delay")
    text = error.details() or error.code().name
    return ServiceError(
        StatusCode(number) if known else StatusCode.INTERNAL, text, retry_s=float(retry) if retry else None
    )
