"""The synchronous runner: one stream, the bot in the calling thread, a new stream when one is lost.

Requests go through a queue that gRPC's own thread empties; responses are read, and the bot is called, by whoever calls
`play`. While the bot thinks nothing is read; gRPC's own threads answer the pings by which a server sees that it is up.
"""

from __future__ import annotations

import queue
import time
from typing import TYPE_CHECKING

import grpc
from gavelport.v1 import referee_pb2 as wire
from gavelport.v1.referee_pb2_grpc import RefereeServiceStub

from gavelport_sdk.channel import OPTIONS, TLS, Line, bearer, failure, is_local, session_with
from gavelport_sdk.entry import version_of
from gavelport_sdk.errors import BotError, Exit, ProtocolError, SetupError
from gavelport_sdk.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from gavelport_sdk.bot import Bot
    from gavelport_sdk.entry import Connection
    from gavelport_sdk.session import Session


def play(
    bot_class: type[Bot],
    server: Connection,
    *,
    max_matches: int = 1,
    sleep: Callable[[float], None] = time.sleep,
) -> Exit:
    """Play until the server ends the session or nothing more can be done; return the process's exit code."""
    try:
        session = session_with(server, bot_class, max_matches)
        line = Line(server.target, session)
        progress = Progress(server.target, version_of(bot_class))
        while True:
            end = line.ended(*_stream(session, server, progress))
            if isinstance(end, Exit):
                return end
            sleep(end)
    except (BotError, SetupError, ProtocolError) as error:
        return failure(error)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _stream(session: Session, server: Connection, progress: Progress) -> tuple[str, str]:
    """Play on one stream until it ends; return its status (`OK`, `UNAVAILABLE`, …) and the text that came with it."""
    outbox: queue.SimpleQueue[wire.PlayRequest | None] = queue.SimpleQueue()
    outbox.put(session.hello())
    with _channel(server) as channel:
        call = RefereeServiceStub(channel).Play(iter(outbox.get, None), metadata=bearer(server.token))
        try:
            for response in call:
                reply = session.react(response)
                progress.hear(response)
                if reply is not None:
                    outbox.put(reply)
        except grpc.RpcError:
            return call.code().name, call.details() or ""
        finally:
            outbox.put(None)
            call.cancel()
        return "OK", ""


def _channel(server: Connection) -> grpc.Channel:
    if is_local(server.target):
        return grpc.insecure_channel(server.target, OPTIONS)
    credentials = grpc.ssl_channel_credentials(server.ca, *(server.own or ()))
    return grpc.secure_channel(server.target.removeprefix(TLS), credentials, OPTIONS)
