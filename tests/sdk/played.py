"""A gRPC server that plays a script: one function a stream, which yields what to send and gets what the bot sent."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Generator, Iterator
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any

import grpc
import trustme
from gavelport.v1 import referee_pb2 as wire
from gavelport.v1.referee_pb2_grpc import RefereeServiceServicer, add_RefereeServiceServicer_to_server


class EndError(Exception):
    """EndError the stream with a status: `raise EndError(StatusCode.UNAVAILABLE, "why")`."""

    def __init__(self, code: grpc.StatusCode, text: str = "") -> None:
        super().__init__(code, text)
        self.code, self.text = code, text


Part = Generator[wire.PlayResponse | None, wire.PlayRequest, None]
"""Yields a message to send, or None to wait for the bot's next one, which it is given."""


@dataclass
class Server(RefereeServiceServicer):
    """Plays one part a stream, in their order."""

    parts: list[Callable[[], Part]]
    target: str = ""
    tokens: list[str] = field(default_factory=list)
    problems: queue.SimpleQueue[BaseException] = field(default_factory=queue.SimpleQueue)

    def Play(self, request_iterator: Iterator[wire.PlayRequest], context: Any) -> Iterator[wire.PlayResponse]:  # noqa: N802  gRPC's name
        """Play the next part."""
        self.tokens.append(dict(context.invocation_metadata()).get("authorization", ""))
        if not self.parts:
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "the script has no more parts")
        part = self.parts.pop(0)()
        try:
            message = next(part)
            while True:
                if message is None:
                    message = part.send(next(request_iterator))
                else:
                    yield message
                    message = next(part)
        except StopIteration:
            return
        except EndError as end:
            context.abort(end.code, end.text)
        except AssertionError as problem:
            self.problems.put(problem)
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "the script's assertion failed")


@contextlib.contextmanager
def serving(
    *parts: Callable[[], Part], certificate: trustme.LeafCert | None = None, clients: bytes | None = None
) -> Iterator[Server]:
    """Serve the parts on a free port; at the end, fail if an assertion in one did, or one was not played."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    played = Server(list(parts))
    add_RefereeServiceServicer_to_server(played, server)
    if certificate is None:
        played.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    else:
        pair = certificate.private_key_pem.bytes(), certificate.cert_chain_pems[0].bytes()
        port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair], clients, clients is not None))
        played.target = f"tls:localhost:{port}"
    server.start()
    try:
        yield played
    finally:
        server.stop(None).wait()
    if not played.problems.empty():
        raise played.problems.get()
    assert not played.parts, "a part was never played"
