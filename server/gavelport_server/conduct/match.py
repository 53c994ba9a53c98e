"""A match between bots: the referee's core, joined to the bots' sessions (design 4).

An answer is judged and what follows from it is sent in the very call in which it came: the match's task sleeps all the
while, and wakes for deadlines and for the end only. A deadline that comes before the one that its cancel scope has
moves that; a later one is left until the scope's has passed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, assert_never

import structlog
import trio
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for

from gavelport_server.conduct.messages import Encoder, match_end, match_start, refused, void_end
from gavelport_server.referee.codes import Code
from gavelport_server.referee.commands import Ask, Begin, Finish, Refuse, Tell, Unreadable
from gavelport_server.referee.core import MatchCore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport.v1 import referee_pb2
    from gavelport_engine.game import Checkpoint

    from gavelport_server.conduct.session import Session
    from gavelport_server.referee.commands import Command
    from gavelport_server.referee.report import MatchReport, MatchSetup, Played

    Watch = Callable[[Sequence[Played | Checkpoint]], None]

MAX_NOTE_BYTES = 1024
_log = structlog.get_logger(__name__)


class MatchVoid(Exception):  # noqa: N818  not an error of whoever calls: an outcome, to be played again
    """A fault of the server ended the match; it counts for nothing and is to be played again."""


async def conduct_match(
    setup: MatchSetup, sessions: Sequence[Session], *, reveal: bool, watch: Watch | None = None
) -> MatchReport:
    """Play a match to its end and return what it leaves behind.

    Bots that are not connected are waited for by their clocks alone. Cancelled, the match is void to its bots.

    Args:
        setup: the match; its seats are those of `sessions`, in the same order.
        sessions: one a seat, no two the same.
        reveal: whether the bots are told seed, scores and cards at the end: only if no match of the same deal follows.
        watch: is given the record so far whenever it has grown; sealed answers stand in it once they are revealed. It
            is called between a bot's answer and the next: it must be quick, and what it raises voids the match.

    Raises:
        MatchVoid: something of ours failed. The bots were told.
        ValueError: sessions that do not fit the seats, that play a match of this id already, or as many matches as
            they said that they play at the same time.
    """
    if len(sessions) != len(setup.seats) or len(set(sessions)) != len(sessions):
        raise ValueError(f"match {setup.match_id}: {len(setup.seats)} seats need as many sessions, all different")
    if any(setup.match_id in session.places for session in sessions):
        raise ValueError(f"match {setup.match_id}: is being played already")
    for session in sessions:
        if len(session.places) >= session.max_matches:
            raise ValueError(
                f"match {setup.match_id}: {session.name.bot} plays {len(session.places)} already, and said in its "
                f"Hello that it plays {session.max_matches} at the same time"
            )
    match = _Match(setup, sessions, reveal=reveal, watch=watch)
    try:
        match.begin()
        await match.wait_over()
    finally:
        match.make_void()  # unless it is over
    if match.report is None:
        raise MatchVoid(setup.match_id)
    return match.report


class _Match:
    """A running match."""

    def __init__(
        self, setup: MatchSetup, sessions: Sequence[Session], *, reveal: bool, watch: Watch | None = None
    ) -> None:
        self._setup = setup
        self._sessions = sessions
        self._reveal = reveal
        self._watch = watch
        self.core = MatchCore(setup)
        self._codec = codec_for(setup.game.id)
        self._encoder = Encoder(setup.match_id, self._codec)
        self._starts = [match_start(setup, self._codec, self.core.state, seat) for seat in range(len(sessions))]
        self._is_over = False
        self._over = trio.Event()
        self._scope = trio.CancelScope()
        self._now = trio.lowlevel.current_clock().current_time  # what trio.current_time calls, without its detours
        self._wakes_at = math.inf
        """The scope's deadline, kept beside it because it is asked for with every answer."""
        self.report: MatchReport | None = None

    # -- the task

    def begin(self) -> None:
        """Seat the bots and ask the first decision."""
        now = trio.current_time()
        for seat, session in enumerate(self._sessions):
            session.places[self._setup.match_id] = _Place(self, seat)
            if session.gone_reason:
                self.core.gone(seat, now)
            elif not session.connected:
                self.core.lost(seat, now)
        self.put(self.core.start, now)

    async def wait_over(self) -> None:
        """Sleep until the match is over, and tell the core when a deadline has passed."""
        while not self._is_over:
            self._wakes_at = self.core.deadline()
            with trio.CancelScope(deadline=self._wakes_at) as self._scope:
                await self._over.wait()
            if not self._is_over:
                self.put(self.core.tick, trio.current_time())

    def make_void(self) -> None:
        """End a match that is not over as one that counts for nothing."""
        if not self._is_over:
            self._end(void_end(self._setup.match_id))

    # -- inputs

    def put(self, give: Callable[..., list[Command]], *args: Any) -> None:
        """Give the core an input and carry out what follows. What fails here is ours, and costs this match alone."""
        if self._is_over:
            return
        try:
            self._carry_out(give(*args))
            if self._watch is not None:
                self._watch(self.core.record)
        except Exception:  # noqa: BLE001  logged, and the match is void
            _log.exception("match_void", match=self._setup.match_id)
            self.make_void()

    def answered(self, seat: int, answer: referee_pb2.Answer, at: float) -> bool:
        """Judge an answer; return whether it was one to an open decision."""
        if self._is_over:
            return False
        is_asked = self.core.asks(seat, answer.decision_id)
        self.put(self._judge, seat, answer, at)
        return is_asked

    def _judge(self, seat: int, answer: referee_pb2.Answer, at: float) -> list[Command]:
        note = answer.note
        action = self._action(answer, note)
        return self.core.answer(seat, answer.decision_id, action, note, self._now(), at)

    def _action(self, answer: referee_pb2.Answer, note: str) -> Any:
        """Return the action of an answer, or why it cannot be read."""
        if len(note) > MAX_NOTE_BYTES // 4 and len(note.encode()) > MAX_NOTE_BYTES:
            return Unreadable(Code.NOTE_TOO_LONG, f"the note is longer than {MAX_NOTE_BYTES} bytes; shorten it")
        if not answer.HasField("action"):
            return Unreadable(Code.UNREADABLE, "the answer has no action")
        try:
            return self._codec.decode_action(answer.action)
        except CodecError as error:
            return Unreadable(Code.UNREADABLE, str(error))

    # -- outputs

    def _carry_out(self, commands: list[Command]) -> None:
        sessions, state = self._sessions, self.core.state
        for command in commands:
            if isinstance(command, Ask):
                session = sessions[command.seat]
                session.send(self._encoder.decision(command, state, with_observation=not session.events_only))
            elif isinstance(command, Refuse):
                sessions[command.seat].send(refused(self._setup.match_id, command))
            elif isinstance(command, Tell):
                sessions[command.seat].send(self._encoder.events(command, state))
            elif isinstance(command, Begin):
                sessions[command.seat].send(self._starts[command.seat])
            elif isinstance(command, Finish):
                message = match_end(command.report, self._codec, state, reveal=self._reveal)
                self.report = command.report
                self._end(message)
            else:
                assert_never(command)
        deadline = self.core.deadline()
        if deadline < self._wakes_at:
            self._wakes_at = self._scope.deadline = deadline

    def _end(self, message: bytes) -> None:
        self._is_over = True
        for session in self._sessions:
            session.end(self._setup.match_id, message)
        self._over.set()


class _Place:
    """One seat of a running match, as its session reaches it."""

    __slots__ = ("_match", "_seat")

    def __init__(self, match: _Match, seat: int) -> None:
        self._match = match
        self._seat = seat

    def answered(self, answer: referee_pb2.Answer, at: float) -> bool:
        return self._match.answered(self._seat, answer, at)

    def lost(self) -> None:
        self._match.put(self._match.core.lost, self._seat, trio.current_time())

    def back(self, last_event: int) -> None:
        self._match.put(self._match.core.back, self._seat, trio.current_time(), last_event)

    def gone(self) -> None:
        self._match.put(self._match.core.gone, self._seat, trio.current_time())
