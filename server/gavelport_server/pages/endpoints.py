"""What there is under `/api/v1`: each path with the RPC whose answer it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport.v1 import archive_pb2, ladder_pb2

from gavelport_server.transport.methods import method_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

PREFIX = "/api/v1"
_FILES = {"LadderService": ladder_pb2, "ReplayService": archive_pb2}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A path, and the RPC that it calls."""

    path: str
    service: str
    rpc: str
    what: str
    """What is there, in words."""
    parameters: tuple[str, ...] | None = None
    """Those of the request's fields that may be given; None: all."""
    is_file: bool = False
    """Whether the answer is a file's bytes, chunk by chunk."""

    @property
    def method(self) -> MethodDescriptor:
        """Return the RPC's description."""
        found: MethodDescriptor = (
            _FILES[self.service].DESCRIPTOR.services_by_name[self.service].methods_by_name[self.rpc]
        )
        return found

    @property
    def desk_method(self) -> str:
        """Return the name of the desk's method."""
        return method_name(self.rpc)

    @property
    def answer(self) -> Descriptor | None:
        """Return the message that is the answer; None where it is a file."""
        answer: Descriptor = self.method.output_type
        return None if self.is_file else answer


ENDPOINTS = (
    Endpoint("/ladders", "LadderService", "ListLadders", "All ladders."),
    Endpoint("/ladders/{ladder}/standings", "LadderService", "GetStandings", "A ladder's table, the best first."),
    Endpoint(
        "/ladders/{ladder}/bots/{bot}/history",
        "LadderService",
        "GetHistory",
        "Every change of a bot's rating, with what made it, the latest first.",
    ),
    Endpoint("/ladders/{ladder}/head-to-head", "LadderService", "GetHeadToHead", "Who came before whom, how often."),
    Endpoint("/running", "LadderService", "ListRunning", "Matches that are being played."),
    Endpoint("/matches", "ReplayService", "ListMatches", "Finished matches, the latest first."),
    Endpoint(
        "/matches/{match_id}",
        "ReplayService",
        "ListMatches",
        "One finished match, as a list of one.",
        parameters=("match_id",),
    ),
    Endpoint(
        "/matches/{match_id}/replay",
        "ReplayService",
        "DownloadReplays",
        "The replay of a match, without what is its bots' own; docs/replay-format.md says what it holds.",
        parameters=("match_id",),
        is_file=True,
    ),
)


def request_fields(endpoint: Endpoint) -> Iterator[tuple[str, tuple[FieldDescriptor, ...]]]:
    """Yield the fields of an RPC's request by name, each with the fields that lead to it."""
    for field in endpoint.method.input_type.fields:
        places = [(field,)] if field.message_type is None else [(field, one) for one in field.message_type.fields]
        for place in places:
            if endpoint.parameters is None or place[-1].name in endpoint.parameters:
                yield place[-1].name, place
