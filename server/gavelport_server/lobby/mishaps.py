"""What went wrong with a bot, as its owner is told: the decision, what the bot saw, and what it printed.

It is put together from the answers of the services, whoever asks them: `gavelport logs` does so from afar, the page of
a bot in the server itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gavelport.v1 import archive_pb2
from gavelport.v1 import lobby_pb2 as pb
from google.protobuf.message import Message

from gavelport_server.transport.link import ServiceError, StatusCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

M = TypeVar("M", bound=Message)
START = "start"
"""Whose log it is when a bot's process ends before any match."""
HEAD, TAIL = 20, 20
"""Lines that are shown of a log; of a longer one the rest is left out."""


class Asked(Protocol):
    """The services, asked by somebody. Raises ServiceError."""

    def call(self, request: Message, response: type[M]) -> M:
        """Return the answer to a request."""
        ...

    def stream(self, request: Message, response: type[M]) -> Iterator[M]:
        """Return the answers to a request as they come."""
        ...


def faulty_matches(asked: Asked, bot: str, match_id: str, last: int) -> list[pb.BotFault]:
    """Return the matches that are meant, with what went wrong in each. Raises ServiceError."""
    faults = asked.call(
        pb.ListFaultsRequest(bot=bot, limit=last if not match_id else 500), pb.ListFaultsResponse
    ).faults
    if not match_id:
        return list(faults)
    if found := [one for one in faults if one.match_id == match_id]:
        return found
    request = archive_pb2.ListMatchesRequest(match_id=match_id)
    (match,) = asked.call(request, archive_pb2.ListMatchesResponse).matches
    seats = [
        pb.BotFault(match_id=match_id, finished_at=match.finished_at, seat=number, version=seat.version)
        for number, seat in enumerate(match.seats)
        if seat.bot == bot
    ]
    if not seats:
        raise ServiceError(StatusCode.NOT_FOUND, f"{bot} had no seat in match {match_id}")
    return seats


def told(asked: Asked, bot: str, fault: pb.BotFault) -> dict[str, Any]:
    """Return a match with all that is known of what went wrong. Raises ServiceError."""
    return {
        "match_id": fault.match_id,
        "finished_at": fault.finished_at,
        "seat": fault.seat,
        "version": fault.version,
        "faults": dict(fault.faults),
        "retired": fault.retired,
        "first_fault": fault.first_fault,
        "decision": _decision(asked, fault) if fault.faults else None,
        "printed": printed(asked, bot, fault.match_id),
    }


def _decision(asked: Asked, fault: pb.BotFault) -> dict[str, Any] | None:
    """Return the first decision that came to a fault, as the seat saw it; None where its replay is not kept."""
    request = archive_pb2.GetSeatViewRequest(match_id=fault.match_id, seat=fault.seat)
    try:
        for answer in asked.stream(request, archive_pb2.GetSeatViewResponse):
            record: dict[str, Any] = json.loads(answer.line)
            if record["record"] == "decision" and record["fault"]:
                return record
    except ServiceError as error:
        if error.code is not StatusCode.NOT_FOUND:
            raise
    return None


def printed(asked: Asked, bot: str, match_id: str) -> str | None:
    """Return what a bot printed in a match, None where that is not kept. Raises ServiceError."""
    request = pb.GetLogRequest(bot=bot, match_id=match_id)
    try:
        data = b"".join(answer.data for answer in asked.stream(request, pb.GetLogResponse))
    except ServiceError as error:
        if error.code is StatusCode.NOT_FOUND:
            return None
        raise
    return data.decode("utf-8", "replace")


def notice(asked: Asked, bot: str) -> str:
    """Return what is wrong with a hosted bot's processes; empty while nothing is, and for others' bots.

    Raises ServiceError.
    """
    return own_bots(asked).get(bot, "")


def own_bots(asked: Asked) -> dict[str, str]:
    """Return by name whatever bots the caller may be told of, each with its notice. Raises ServiceError."""
    return {one.name: one.notice for one in asked.call(pb.ListBotsRequest(), pb.ListBotsResponse).bots}


def parts_of(observation: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a bot saw, part by part, each with its name; of a list of tables each one is a part."""
    for key, value in observation.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ((f"{key} {number}", one) for number, one in enumerate(value))
        else:
            yield key, value


def shortened(lines: Sequence[str], whole: str) -> Iterator[str]:
    """Yield the first and the last lines of a log, and between them how many are left out, and where all are."""
    if len(lines) <= HEAD + TAIL + 1:
        yield from lines
        return
    yield from lines[:HEAD]
    yield f"… {len(lines) - HEAD - TAIL} lines; {whole} …"
    yield from lines[-TAIL:]
