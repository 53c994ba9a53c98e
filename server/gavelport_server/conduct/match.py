"""A match between bots: the referee's core, joined to the bots' sessions (design 4, 7).

An answer is judged and what follows from it is sent in the very call in which it came: the match's task sleeps all the
while, and wakes for deadlines and for the end only. A deadline that comes before the one that its cancel scope has
moves that; a later one is left until the scope's has passed.

With a log, every input that may change anything is put into it before the core is given it. What follows is encoded
at once, but told when the input is on disk: nobody hears of what a crash could take back. A message goes to the link
that was the bot's when it was encoded, and to no later one, which is told all anew.

Time is trio's, less what was lost: a match that goes on after a crash goes on at the time of its last input.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, assert_never

import structlog
import trio
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for

from gavelport_server.archive.journal_entries import InputKind, PastInput, input_bytes
from gavelport_server.conduct.messages import Encoder, match_end, match_start, refused, void_end
from gavelport_server.conduct.results import bounded
from gavelport_server.conduct.resume import give, rebuilt
from gavelport_server.conduct.session import SessionGoneError
from gavelport_server.referee.codes import Code
from gavelport_server.referee.commands import Ask, Begin, Finish, Refuse, Tell, Unreadable
from gavelport_server.referee.states import Presence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport.v1 import referee_pb2
    from gavelport_engine.game import Checkpoint

    from gavelport_server.conduct.session import Session
    from gavelport_server.referee.commands import Command
    from gavelport_server.referee.report import MatchReport, MatchSetup, Played
    from gavelport_server.transport.link import Link

    Watch = Callable[[Sequence[Played | Checkpoint]], None]
    Refusals = Callable[[Refuse], None]

MAX_NOTE_BYTES = 1024
GRACE_S = 120.0
"""So long a match waits for its bots after a crash of the server."""
_log = structlog.get_logger(__name__)


class MatchVoid(Exception):  # noqa: N818  not an error of whoever calls: an outcome, to be played again
    """A fault of the server ended the match; it counts for nothing and is to be played again. `reason` is in words."""

    def __init__(self, match_id: str, reason: str = "a fault of the server") -> None:
        super().__init__(f"match {match_id}: {reason}")
        self.reason = reason


class MatchLeft(Exception):  # noqa: N818  as above
    """The log cannot be written any more: the match stands in it, to go on from there, and nobody was told of this."""


class MatchLog(Protocol):
    """One match's inputs on their way to disk."""

    def put(self, entry: bytes) -> None:
        """Take an input, before what follows from it. Raises JournalError once nothing can be written any more."""
        ...

    def when_synced(self, call: Callable[[], None]) -> None:
        """Run `call` once all that was put so far is on disk: in trio, and in order; at once where it is already."""
        ...

    def when_broken(self, call: Callable[[], None]) -> None:
        """Run `call` should it ever turn out that what was put cannot be written. Nothing is synced after that."""
        ...


async def conduct_match(
    setup: MatchSetup,
    sessions: Sequence[Session],
    *,
    reveal: bool,
    watch: Watch | None = None,
    refusals: Refusals | None = None,
    log: MatchLog | None = None,
    past: Sequence[PastInput] = (),
    grace_s: float = GRACE_S,
) -> MatchReport:
    """Play a match to its end and return what it leaves behind.

    Bots that are not connected are waited for by their clocks alone. Cancelled, the match is void to those of its bots
    that are connected; it still stands in the log, so whoever wants it to go on later closes the links before.

    Args:
        setup: the match; its seats are those of `sessions`, in the same order.
        sessions: one a seat, no two the same.
        reveal: whether the bots are told seed, scores and cards at the end: only if no match of the same deal follows.
        watch: is given the record so far whenever it has grown; sealed answers stand in it once they are revealed. It
            is called between a bot's answer and the next: it must be quick, and what it raises voids the match.
        refusals: is given what is told of each answer that is not taken, before `watch` what follows. Quick as that.
        log: where the inputs go before anything follows from them; the report is returned once all of them are on disk.
        past: the inputs of the match before a crash. The match goes on once all bots that are not gone for good are
            connected; its time stands still until then. If they lead to its end, its report is returned at once.
        grace_s: how long the bots are waited for, with `past`.

    Raises:
        MatchVoid: something of ours failed, or not all bots came back. The bots were told.
        MatchLeft: the log cannot be written any more. The bots were told nothing.
        ValueError: sessions that do not fit the seats, that play a match of this id already, or as many matches as
            they said that they play at the same time.
    """
    if len(sessions) != len(setup.seats) or len(set(sessions)) != len(sessions):
        raise ValueError(f"match {setup.match_id}: {len(setup.seats)} seats need as many sessions, all different")
    if any(setup.match_id in session.places for session in sessions):
        raise ValueError(f"match {setup.match_id}: is being played already")
    for session in sessions:
        if not past and len(session.places) >= session.max_matches:
            raise ValueError(
                f"match {setup.match_id}: {session.name.bot} plays {len(session.places)} already, and said in its "
                f"Hello that it plays {session.max_matches} at the same time"
            )
    match = _Match(setup, sessions, past, reveal=reveal, watch=watch, refusals=refusals, log=log)
    try:
        if past and match.report is None:
            await match.wait_back(grace_s)
        if match.report is None:
            match.begin()
            await match.wait_over()
    finally:
        match.make_void("the match was stopped")  # unless it is over
    if match.is_left:
        raise MatchLeft
    if match.report is None:
        raise MatchVoid(setup.match_id, match.void_reason)
    return match.report


class _Match:
    """A running match."""

    def __init__(
        self,
        setup: MatchSetup,
        sessions: Sequence[Session],
        past: Sequence[PastInput],
        *,
        reveal: bool,
        watch: Watch | None,
        refusals: Refusals | None,
        log: MatchLog | None,
    ) -> None:
        self._setup = setup
        self._sessions = sessions
        self._reveal = reveal
        self._watch, self._refusals = watch, refusals
        self._journal = log
        self._codec = codec_for(setup.game.id)
        self._encoder = Encoder(setup.match_id, self._codec)
        first = setup.game.initial_state(setup.options, setup.seed)
        self._starts = [match_start(setup, self._codec, first, seat) for seat in range(len(sessions))]
        try:
            self.core = rebuilt(setup, past)
        except Exception as error:
            _log.exception("match_void", match=setup.match_id)
            raise MatchVoid(setup.match_id, "its past cannot be played again") from error
        self.report: MatchReport | None = self.core.report
        self.void_reason = ""
        self.is_left = False
        self._past = past
        self._behind_s = 0.0
        """What trio's time is ahead of the core's."""
        self._is_over = False
        """Whether no input is taken any more; the end is told when `_over` is set."""
        self._over = trio.Event()
        if self.report is not None:
            self._over.set()
        self._scope = trio.CancelScope()
        self._now = trio.lowlevel.current_clock().current_time  # what trio.current_time calls, without its detours
        self._wakes_at = math.inf
        """The scope's deadline, kept beside it because it is asked for with every answer."""
        self._untold: list[tuple[Link, bytes]] = []
        """With a log: what follows from the latest input."""
        self._untold_end = b""
        if log is None:
            self._sends = [session.send for session in sessions]
        else:
            self._sends = [partial(self._keep, session) for session in sessions]
            log.when_broken(self._leave)

    # -- the task

    async def wait_back(self, grace_s: float) -> None:
        """Wait until all bots that may come back are connected. Raises MatchVoid when they are not in time."""
        leaving = [presence is Presence.GONE for presence in self.core.presences()]
        with trio.move_on_after(grace_s):
            while away := [
                session
                for session, is_gone in zip(self._sessions, leaving, strict=True)
                if not (is_gone or session.connected or session.gone_reason)
            ]:
                with suppress(SessionGoneError):  # one that is gone is not waited for, and played by default
                    await away[0].wait_connected()
            return
        raise MatchVoid(self._setup.match_id, f"not all bots came back within {grace_s:.0f} s")

    def begin(self) -> None:
        """Seat the bots, and ask the first decision; or tell them all anew, and go on."""
        if self._over.is_set():
            return
        for seat, session in enumerate(self._sessions):
            session.places[self._setup.match_id] = _Place(self, seat)
        if self._past:
            self._behind_s = self._now() - self._past[-1].now
        # Who was there before a crash is not yet again: nothing may be told to a bot before the match was.
        for seat, presence in enumerate(self.core.presences()):
            session = self._sessions[seat]
            if presence is Presence.HERE and (self._past or not (session.connected or session.gone_reason)):
                self.put(InputKind.LOST, seat)
        for seat, presence in enumerate(self.core.presences()):
            session = self._sessions[seat]
            if presence is not Presence.GONE and session.gone_reason:
                self.put(InputKind.GONE, seat, why=session.gone_reason)
            elif presence is Presence.AWAY and session.connected:
                self.put(InputKind.BACK, seat)
        if not self._past:
            self.put(InputKind.START)

    async def wait_over(self) -> None:
        """Sleep until the match is over, and tell the core when a deadline has passed."""
        while not self._over.is_set():
            self._wakes_at = self.core.deadline() + self._behind_s
            with trio.CancelScope(deadline=self._wakes_at) as self._scope:
                await self._over.wait()
            if self._now() >= self.core.deadline() + self._behind_s:
                self.put(InputKind.TICK)

    def make_void(self, reason: str) -> None:
        """End a match whose end was not told as one that counts for nothing."""
        if not self._over.is_set():
            self.report, self.void_reason = None, reason
            self._end(void_end(self._setup.match_id))

    def _leave(self) -> None:
        """Stop without a word. That it is void would be untrue, as the next start takes up what is in the log."""
        if not self._over.is_set():
            self.report, self.is_left, self._is_over = None, True, True
            for session in self._sessions:
                session.places.pop(self._setup.match_id, None)
            self._over.set()

    # -- inputs. What fails in here is ours, and costs this match alone.

    def put(self, kind: InputKind, seat: int = 0, last_event: int = 0, why: str = "") -> None:
        """Give the core an input that is no answer, and carry out what follows; `why` is that of GONE."""
        if self._is_over:
            return
        try:
            now = self._now() - self._behind_s
            if kind is InputKind.TICK:
                now = max(now, self.core.deadline())  # the difference may be rounded to just before
            given = PastInput(kind, now, seat, last_event, sentence=bounded(why))
            if self._journal is not None:
                self._journal.put(input_bytes(given))
            self._carry_out(give(self.core, self._codec, given))
        except Exception:  # noqa: BLE001  logged, and the match is void
            self._fail()

    def answered(self, seat: int, answer: referee_pb2.Answer, at: float) -> bool:
        """Judge an answer; return whether it was one to an open decision."""
        if self._is_over:
            return False
        core, decision_id, note = self.core, answer.decision_id, answer.note
        is_asked = core.asks(seat, decision_id)
        try:
            action = self._action(answer, note)
            now, arrived = self._now() - self._behind_s, at - self._behind_s
            # Any other answer changes nothing, and a bot could fill the disk with them.
            if self._journal is not None and (is_asked or arrived >= core.deadline()):
                self._journal.put(_answer_bytes(seat, answer, action, now, arrived))
            self._carry_out(core.answer(seat, decision_id, action, note, now, arrived))
        except Exception:  # noqa: BLE001  logged, and the match is void
            self._fail()
        return is_asked

    def _fail(self) -> None:
        _log.exception("match_void", match=self._setup.match_id)
        self.make_void("a fault of the server")

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
        sends, state = self._sends, self.core.state
        for command in commands:
            if isinstance(command, Ask):
                seat = command.seat
                with_observation = not self._sessions[seat].events_only
                sends[seat](self._encoder.decision(command, state, with_observation=with_observation))
            elif isinstance(command, Refuse):
                sends[command.seat](refused(self._setup.match_id, command))
                if self._refusals is not None:
                    self._refusals(command)
            elif isinstance(command, Tell):
                sends[command.seat](self._encoder.events(command, state))
            elif isinstance(command, Begin):
                sends[command.seat](self._starts[command.seat])
            elif isinstance(command, Finish):
                message = match_end(command.report, self._codec, state, reveal=self._reveal)
                self.report = command.report
                self._is_over = True
                if self._journal is None:
                    self._end(message)
                else:
                    self._untold_end = message
            else:
                assert_never(command)
        deadline = self.core.deadline() + self._behind_s
        if deadline < self._wakes_at:
            self._wakes_at = self._scope.deadline = deadline
        if self._journal is not None:
            untold, self._untold = self._untold, []
            # The record goes on before this much of it is on disk.
            length = len(self.core.record)
            self._journal.when_synced(partial(self._tell, untold, length, self._untold_end))
        elif self._watch is not None:
            self._watch(self.core.record)

    def _keep(self, session: Session, message: bytes) -> None:
        if session.link is not None:
            self._untold.append((session.link, message))

    def _tell(self, untold: Sequence[tuple[Link, bytes]], length: int, end: bytes) -> None:
        """Tell what follows from an input, which is on disk now."""
        if self._over.is_set():
            return
        try:
            for link, message in untold:
                link.send(message)
            if self._watch is not None:
                self._watch(self.core.record[:length])
            if end:
                self._end(end)
        except Exception:  # noqa: BLE001  logged, and the match is void
            self._fail()

    def _end(self, message: bytes) -> None:
        self._is_over = True
        for session in self._sessions:
            if self._setup.match_id in session.places:  # not yet where the bots of a match with a past are waited for
                session.end(self._setup.match_id, message)
        self._over.set()


def _answer_bytes(seat: int, answer: referee_pb2.Answer, action: object, now: float, arrived: float) -> bytes:
    code = sentence = ""
    wire = b""
    if isinstance(action, Unreadable):
        code, sentence = action.code, action.sentence
    else:
        wire = answer.action.SerializeToString()
    decision_id = answer.decision_id
    return input_bytes(
        PastInput(InputKind.ANSWER, now, seat, 0, arrived, decision_id, answer.note, wire, code, sentence)
    )


class _Place:
    """One seat of a running match, as its session reaches it."""

    __slots__ = ("_match", "_seat")

    def __init__(self, match: _Match, seat: int) -> None:
        self._match = match
        self._seat = seat

    def answered(self, answer: referee_pb2.Answer, at: float) -> bool:
        return self._match.answered(self._seat, answer, at)

    def lost(self) -> None:
        self._match.put(InputKind.LOST, self._seat)

    def back(self, last_event: int) -> None:
        self._match.put(InputKind.BACK, self._seat, last_event)

    def gone(self, why: str) -> None:
        self._match.put(InputKind.GONE, self._seat, why=why)
