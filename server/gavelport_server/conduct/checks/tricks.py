"""What `gavelport check` does to a bot on the wire: all of it can happen in a rated match, but seldom does."""

from __future__ import annotations

from dataclasses import dataclass

import trio
from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.splice import field, varint

from gavelport_server.conduct.checks.tamper import TamperedLink, Trick
from gavelport_server.referee.codes import Code
from gavelport_server.transport.link import StatusCode

_LATER = b"from a later version"
_UNKNOWN = varint(1_000 << 3) + varint(1) + varint(1_001 << 3 | 2) + varint(len(_LATER)) + _LATER
"""Two fields that no message has: a number and a text."""
_SENTENCE = "refused on purpose, to see whether the bot answers again"


class RefuseFirst(Trick):
    """Refuses the first answer of the first decision in each phase, right as it is."""

    def __init__(self) -> None:
        self.refused: dict[tuple[str, int], str] = {}
        """Match and decision whose answer was refused; with the phase."""
        self.answered_again: set[tuple[str, int]] = set()
        self._phases: set[str] = set()
        self._waiting: dict[tuple[str, int], tuple[str, float]] = {}

    def to_bot(self, link: TamperedLink, message: bytes, response: pb.PlayResponse) -> None:
        """Choose the decisions whose answer is to be refused."""
        decision = response.decision
        if response.WhichOneof("message") == "decision" and decision.phase not in self._phases:
            self._phases.add(decision.phase)
            is_over_s = trio.current_time() + decision.time_ms / 1000
            self._waiting[decision.match_id, decision.decision_id] = decision.phase, is_over_s
        link.deliver(message)

    def from_bot(self, link: TamperedLink, request: pb.PlayRequest) -> bool:
        """Refuse the answers that were chosen, once."""
        key = (request.answer.match_id, request.answer.decision_id)
        if key not in self._waiting:
            if key in self.refused:
                self.answered_again.add(key)
            return True
        self.refused[key], is_over_s = self._waiting.pop(key)
        refused = pb.Refused(
            match_id=key[0],
            decision_id=key[1],
            code=Code.UNREADABLE,
            sentence=_SENTENCE,
            tries_left=2,
            time_ms=max(0, int((is_over_s - trio.current_time()) * 1000)),
        )
        link.deliver(pb.PlayResponse(refused=refused).SerializeToString())
        return False

    def silent(self) -> list[str]:
        """Return the refused decisions that were not answered again, in words."""
        return [f"decision {key[1]} ({phase})" for key, phase in self.refused.items() if key not in self.answered_again]


@dataclass(slots=True)
class Cut:
    """One cut of the stream."""

    where: str
    at_s: float
    away_s: float | None = None
    """How long the bot was away; None while it is."""
    resumed: bool = False
    """Whether it named its session on the return."""


class CutStream(Trick):
    """Cuts the stream three times: an answer is lost on its way, then behind a question, then once more an answer.

    The latter two are sealed where the game has sealed phases.
    """

    def __init__(self, *, has_sealed: bool) -> None:
        """Take whether the game has sealed phases."""
        self._has_sealed = has_sealed
        self.cuts: list[Cut] = []
        self._asked: set[int] = set()
        self._hard = 0
        self._losing: dict[int, str] = {}
        """Decisions whose answer is to be lost, and how to call that."""
        self._has_plain = False

    def to_bot(self, link: TamperedLink, message: bytes, response: pb.PlayResponse) -> None:
        """Choose which answers to lose; cut right behind the first sealed question."""
        kind, decision = response.WhichOneof("message"), response.decision
        if kind == "welcome" and self.cuts:
            self.cuts[-1].resumed = response.welcome.resumed
        link.deliver(message)
        number = decision.decision_id
        if kind != "decision" or number in self._asked:
            return
        self._asked.add(number)
        is_hard = decision.sealed if self._has_sealed else number >= 6
        sealed = "sealed " if decision.sealed else ""
        self._hard += is_hard
        if is_hard and self._hard == 1:
            self._cut(link, number, f"behind the question, in the {sealed}phase {decision.phase}")
        elif is_hard and self._hard == 2:
            self._losing[number] = f"with the {sealed}answer on its way ({decision.phase})"
        elif not decision.sealed and not self._has_plain and number >= 3:
            self._has_plain = True
            self._losing[number] = f"with the answer on its way ({decision.phase})"

    def from_bot(self, link: TamperedLink, request: pb.PlayRequest) -> bool:
        """Lose the answers that were chosen, and the stream with them; note a return."""
        kind, number = request.WhichOneof("message"), request.answer.decision_id
        if kind == "hello" and self.cuts and self.cuts[-1].away_s is None:
            self.cuts[-1].away_s = trio.current_time() - self.cuts[-1].at_s
        if kind != "answer" or number not in self._losing:
            return True
        where = self._losing.pop(number)
        self._cut(link, number, where)
        return False

    @property
    def has_met_sealed(self) -> bool:
        """Whether a sealed phase came up."""
        return self._has_sealed and self._hard > 0

    def _cut(self, link: TamperedLink, number: int, where: str) -> None:
        self.cuts.append(Cut(f"decision {number}, {where}", trio.current_time()))
        link.cut(StatusCode.UNAVAILABLE)


class AskTwice(Trick):
    """Sends the questions of some decisions twice, as a server may that is not sure whether they arrived."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self._sealed = 0

    def to_bot(self, link: TamperedLink, message: bytes, response: pb.PlayResponse) -> None:
        """Repeat the second question, and the first sealed one."""
        link.deliver(message)
        decision = response.decision
        if response.WhichOneof("message") != "decision" or decision.decision_id in self.asked:
            return
        self._sealed += decision.sealed
        if decision.decision_id == 2 or (decision.sealed and self._sealed == 1):
            self.asked.append(decision.decision_id)
            link.deliver(message)


class SendStrange(Trick):
    """Sends what later servers may send, and what comes late: fields, kinds and notices that a bot must skip."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def to_bot(self, link: TamperedLink, message: bytes, response: pb.PlayResponse) -> None:
        """Add unknown fields to everything; before the third question, and after the end, send more."""
        kind = response.WhichOneof("message")
        if kind == "decision" and response.decision.decision_id == 3 and not self.sent:
            self._send_between(link, response.decision.match_id)
        assert kind is not None
        number = response.DESCRIPTOR.fields_by_name[kind].number
        link.deliver(field(number, getattr(response, kind).SerializeToString() + _UNKNOWN) + _UNKNOWN)
        if kind == "match_end":
            self._send(link, pb.Notice(kind=pb.NOTICE_KIND_PROTOCOL, code="late", match_id=response.match_end.match_id))
            self.sent.append("a notice about a match that is over")

    def _send_between(self, link: TamperedLink, match_id: str) -> None:
        self.sent.append("fields from a later version")
        link.deliver(_UNKNOWN)
        self.sent.append("an unknown kind of message")
        self._send(link, pb.Notice(kind=77, code="unheard_of", sentence="a notice from a later version"))  # type: ignore[arg-type]
        self.sent.append("an unknown notice")
        link.deliver(pb.PlayResponse(heartbeat=pb.Heartbeat(number=7)).SerializeToString())
        self.sent.append("a heartbeat")
        late = pb.Refused(match_id=match_id, decision_id=1, code=Code.TOO_LATE, sentence="sent late on purpose")
        link.deliver(pb.PlayResponse(refused=late).SerializeToString())
        self.sent.append("a late refusal")

    def _send(self, link: TamperedLink, notice: pb.Notice) -> None:
        link.deliver(pb.PlayResponse(notice=notice).SerializeToString())
