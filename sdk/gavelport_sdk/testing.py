"""A scripted referee for a bot's own tests: whole matches and single positions, in process and without gRPC.

Messages are encoded and decoded as on the wire and go through the session that `run` uses; only clocks are left out.
So a test of a bot needs nothing but this:

    assert play([MyBot, MyBot, MyBot], seed=1).refusals == []
    assert ask(MyBot, position, seat=0) == Pass()
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gavelport.v1 import referee_pb2 as wire
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.game import Trace
from gavelport_engine.rng import commitment

from gavelport_sdk.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gavelport_codecs.codec import Codec
    from gavelport_engine.game import Outcome

    from gavelport_sdk.bot import Bot

    MakeBot = Callable[[], Bot]
    When = Callable[[int, int], bool]
    """Of a seat and the number of one of its decisions."""

TRIES = 3
TOKEN = "testing"  # noqa: S105  names a session, opens nothing
CLOCK = wire.Clock(bank_ms=20_000, increment_ms=200, cap_ms=5_000, allowance_ms=100)
LIMITS = wire.Limits(max_message_bytes=65_536, max_note_bytes=1_024, tries=TRIES, max_faults=5)


@dataclass(frozen=True, slots=True)
class Answered:
    """One decision as it was played."""

    seat: int
    number: int
    """Counts the seat's decisions, from 1."""
    phase: str
    action: Any
    note: str
    is_default: bool
    """Whether the referee played the default, after three refusals."""


@dataclass(frozen=True, slots=True)
class Refused:
    """One refusal."""

    seat: int
    number: int
    code: str
    sentence: str
    action: Any
    """What was refused; None where it could not be read."""


@dataclass(slots=True)
class Play:
    """A finished match."""

    outcome: Outcome
    decisions: list[Answered]
    refusals: list[Refused]


class RefusedError(Exception):
    """The referee would refuse this action."""


def play(
    bots: MakeBot | Sequence[MakeBot],
    game: str = "",
    *,
    seed: int | bytes = 0,
    options: Mapping[str, object] | None = None,
    refuse: When | None = None,
    lose: When | None = None,
) -> Play:
    """Return a whole match between bots, one a seat; one alone plays all seats.

    `game` may be left out where the bots' classes have just one game in common. `seed` is 32 bytes, or a number that
    stands for them. Where `refuse` says so, the first answer to a decision is refused although it is legal; where
    `lose` says so, the connection is lost with the answer on its way, and the bot returns. Raises BotError when a bot
    raises, OptionsError, and ValueError when the number of bots is not that of the seats.
    """
    codec = codec_for(game or common_game([bots] if callable(bots) else bots))
    given = dict(options or {})
    if not callable(bots):
        given.setdefault("seats", len(bots))
    chosen = codec.game.options(given)
    count = codec.game.seats(chosen)
    makers = [bots] * count if callable(bots) else list(bots)
    if len(makers) != count:
        raise ValueError(f"{len(makers)} bots for {count} seats")
    seed_bytes = seed if isinstance(seed, bytes) else seed.to_bytes(32, "big")
    match = _Match(codec, chosen, codec.game.initial_state(chosen, seed_bytes), makers, seed_bytes)
    match.hear(codec.game.opening(chosen, seed_bytes))
    return match.play(refuse, lose)


def common_game(bots: Sequence[MakeBot]) -> str:
    """Return the one game, with its version, that all bots play by their `games`.

    Raises ValueError where there is none or more than one, or a maker of bots is no class of them.
    """
    played = [{codec_for(game).game.id for game in getattr(bot, "games", ())} for bot in bots]
    common = sorted(set.intersection(*played)) if played else []
    if len(common) != 1:
        raise ValueError(
            f"the bots have {' and '.join(common) or 'no game'} in common; say which is to be played: game=…"
        )
    return common[0]


def ask(bot: MakeBot, position: object, seat: int) -> Any:
    """Return what a new instance answers in a position of the notation, whose key `game` names the game.

    Raises RefusedError when the action is refused, BotError when the bot raises, NotationError, CodecError for a game
    that is not known, and ValueError when the seat is not to act there.
    """
    codec = codec_for(str(position.get("game", "")) if isinstance(position, dict) else "")
    state = codec.game.from_notation(position)
    if seat not in codec.game.to_act(state):
        raise ValueError(f"seat {seat} is not to act in this position; {codec.game.to_act(state)} are")
    options = codec.game.options(codec.game.to_notation(state)["options"])
    match = _Match(codec, options, state, [bot] * codec.game.seats(options), bytes(32))
    link = match.links[seat]
    request = link.tell(match.decision(link))
    assert request is not None
    return match.judge(link, request.answer)


@dataclass(slots=True)
class _Link:
    """A seat's session, and what it was told."""

    seat: int
    session: Session
    events: list[bytes] = field(default_factory=list)
    told: int = 0
    number: int = 0

    def tell(self, response: wire.PlayResponse) -> wire.PlayRequest | None:
        """Carry a message to the bot and its answer back, both in their serialised form."""
        reply = self.session.react(wire.PlayResponse.FromString(response.SerializeToString()))
        return None if reply is None else wire.PlayRequest.FromString(reply.SerializeToString())


class _Match:
    """The referee's side, without clocks: as much of the protocol as a bot can notice."""

    def __init__(self, codec: Codec, options: Any, state: Any, makers: Sequence[MakeBot], seed: bytes) -> None:
        self.codec, self.options, self.state = codec, options, state
        self.seed = seed
        self.match_id = f"testing-{seed.hex()[-16:]}"
        self.links = [_Link(seat, Session(maker, (codec.game.id,))) for seat, maker in enumerate(makers)]
        self.deals = [codec.deal(state, link.seat) for link in self.links]
        self.played: list[Answered] = []
        self.refusals: list[Refused] = []
        for link in self.links:
            link.session.hello()
            self._welcome(link, resumed=False)

    def play(self, refuse: When | None, lose: When | None) -> Play:
        """Play to the end."""
        game = self.codec.game
        while seats := game.to_act(self.state):
            answers = {seat: self._answer(self.links[seat], refuse, lose) for seat in seats}
            trace: Trace[Any] = Trace()
            game.apply_in_place(self.state, answers, trace)
            self.hear(trace)
        outcome = game.outcome(self.state)
        for link in self.links:
            self._tell_events(link)
            link.tell(self._end(outcome))
        return Play(outcome, self.played, self.refusals)

    def hear(self, trace: Trace[Any]) -> None:
        """Keep what has happened for every seat that may see it."""
        for event in trace.events:
            for link in self.links:
                seen = self.codec.game.visible(event, link.seat)
                if seen is not None:
                    link.events.append(self.codec.event(seen))

    def decision(self, link: _Link) -> wire.PlayResponse:
        """Return the question that a seat is asked now."""
        asked = self.codec.game.decision(self.state, link.seat)
        link.number += 1
        return self._question(link, asked)

    def judge(self, link: _Link, answer: wire.Answer) -> Any:
        """Return the answer's action. Raises RefusedError."""
        if answer.match_id != self.match_id or answer.decision_id != link.number:
            raise RefusedError(f"wrong_decision: {answer.match_id} {answer.decision_id} was not asked")
        try:
            action = self.codec.decode_action(answer.action)
        except CodecError as error:
            raise RefusedError(f"unreadable: {error}") from error
        fault = self.codec.game.fault(self.state, link.seat, action)
        if fault is not None:
            raise RefusedError(f"{fault.code}: {fault.sentence}") from None
        return action

    def _answer(self, link: _Link, refuse: When | None, lose: When | None) -> Any:
        request = link.tell(self.decision(link))
        if lose is not None and lose(link.seat, link.number):
            request = self._return(link)
        phase = self.codec.game.decision(self.state, link.seat).phase
        for tries_left in range(TRIES - 1, -1, -1):
            assert request is not None
            answer = request.answer
            try:
                if tries_left == TRIES - 1 and refuse is not None and refuse(link.seat, link.number):
                    raise RefusedError("testing: this refusal is part of the test")
                action = self.judge(link, answer)
            except RefusedError as error:
                request = self._refuse(link, answer, str(error), tries_left)
            else:
                self.played.append(Answered(link.seat, link.number, phase, action, answer.note, is_default=False))
                return action
        default = self.codec.game.default(self.state, link.seat)
        self.played.append(Answered(link.seat, link.number, phase, default, "", is_default=True))
        return default

    def _refuse(self, link: _Link, answer: wire.Answer, why: str, tries_left: int) -> wire.PlayRequest | None:
        code, _, sentence = why.partition(": ")
        try:
            action = self.codec.decode_action(answer.action)
        except CodecError:
            action = None
        self.refusals.append(Refused(link.seat, link.number, code, sentence, action))
        refused = wire.Refused(
            match_id=self.match_id, decision_id=link.number, code=code, sentence=sentence, tries_left=tries_left
        )
        return link.tell(wire.PlayResponse(refused=refused))

    def _return(self, link: _Link) -> wire.PlayRequest | None:
        hello = link.session.hello().hello
        assert hello.session_token == TOKEN
        link.told = next(each.last_event for each in hello.resume if each.match_id == self.match_id)
        self._welcome(link, resumed=True)
        self._tell_events(link)
        return link.tell(self._question(link, self.codec.game.decision(self.state, link.seat)))

    def _welcome(self, link: _Link, *, resumed: bool) -> None:
        link.tell(
            wire.PlayResponse(
                welcome=wire.Welcome(session_token=TOKEN, server="testing", limits=LIMITS, resumed=resumed)
            )
        )
        start = wire.MatchStart(
            match_id=self.match_id,
            game=self.codec.game.id,
            options=self.codec.options(self.options),
            seat=link.seat,
            seats=[wire.Seat(bot=f"bot{seat}", version="testing") for seat in range(len(self.links))],
            clock=CLOCK,
            commitment=commitment(self.seed, self.match_id),
            deal=self.deals[link.seat],
        )
        link.tell(wire.PlayResponse(match_start=start))

    def _question(self, link: _Link, asked: Any) -> wire.PlayResponse:
        message = wire.Decision(
            match_id=self.match_id,
            decision_id=link.number,
            phase=asked.phase,
            kinds=asked.space.kinds(),
            sealed=asked.sealed,
            time_ms=CLOCK.cap_ms + CLOCK.allowance_ms,
            bank_ms=CLOCK.bank_ms,
            last_event=len(link.events),
        )
        for event in link.events[link.told :]:
            message.events.add().MergeFromString(event)
        link.told = len(link.events)
        observed = self.codec.observed(self.codec.public(self.state), self.state, link.seat)
        message.observation.MergeFromString(observed)
        return wire.PlayResponse(decision=message)

    def _tell_events(self, link: _Link) -> None:
        message = wire.Events(match_id=self.match_id, last_event=len(link.events))
        for event in link.events[link.told :]:
            message.events.add().MergeFromString(event)
        link.told = len(link.events)
        link.tell(wire.PlayResponse(events=message))

    def _end(self, outcome: Outcome) -> wire.PlayResponse:
        scores = [self.codec.score(line, self.state, seat) for seat, line in enumerate(outcome.scores)]
        end = wire.MatchEnd(
            match_id=self.match_id,
            end=outcome.end,
            ranks=outcome.ranks,
            totals=outcome.totals,
            terminations=[wire.TERMINATION_NORMAL] * len(self.links),
            reveal=wire.Reveal(seed=self.seed, scores=scores),
        )
        return wire.PlayResponse(match_end=end)
