"""A bot's side of the protocol as a pure state machine: no gRPC, no threads, no clock (docs/protocol.md).

A runner passes every message of the server to `receive` and does what comes back: sends a request, or calls the bot
(`Ask`) and sends what `answer` makes of the result. Everything else (hooks, events seen, what to say on a return) is
kept here, so that the synchronous runner, the asynchronous one and the in-process referee of `testing.py` behave alike.

A match outlives the stream. On a return the same instance goes on, events that it has seen are left out, and a
decision that was answered before is answered again with the same action, without asking the bot twice.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from gavelport.v1 import referee_pb2 as wire
from gavelport_codecs.errors import CodecError
from gavelport_codecs.registry import codec_for
from gavelport_engine.rng import Stream

from gavelport_sdk.bot import Bot, Clock, DecisionInfo, MatchInfo, MatchOver, Refusal, SeatInfo
from gavelport_sdk.errors import BotError, ProtocolError, SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_codecs.codec import Codec

    from gavelport_sdk.bot import Space

PROTOCOL_VERSION = 1
SDK = "gavelport-python"


@dataclass(slots=True)
class _Running:
    """A match that is being played."""

    bot: Bot
    info: MatchInfo
    codec: Codec
    last_event: int = 0
    number: int = 0
    """Of the open decision; 0 while there is none."""
    asked: int = 0
    """The decision that the bot is at; 0 while it is at none."""
    answered: int = 0
    """The latest decision that was answered."""
    answer: wire.PlayRequest | None = None
    """What was last answered to it, to be sent again after a return."""
    action: Any = None


@dataclass(frozen=True, slots=True)
class Ask:
    """The bot is to be asked: `call` runs its method; what that returns, awaited if need be, goes to `answer`."""

    running: _Running = field(repr=False)
    number: int
    where: str
    method: Callable[[], Any]
    fallback: Callable[[], Any] | None = None
    """Gives the action where the method returns None; without it None is an error."""
    is_told: bool = False
    """Whether the bot is only told something, and what its method returns is not used."""

    def call(self) -> Any:
        """Return what the bot's method returns, which may be awaitable. Raises BotError."""
        with Blamed(self.where):
            return self.method()


class Blamed:
    """A context that turns any exception of the bot's code into a BotError that says where it happened."""

    __slots__ = ("_where",)

    def __init__(self, where: str) -> None:
        """Take the method, the match and the decision, in words."""
        self._where = where

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Raise BotError for an exception; what is none (Ctrl-C, the end of the process) passes."""
        if isinstance(error, Exception):
            raise BotError(self._where) from error


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


class Session:
    """All that one bot process knows of its session with a server."""

    def __init__(
        self,
        make_bot: Callable[[], Bot],
        games: Sequence[str],
        *,
        version: str = "",
        max_matches: int = 1,
        is_practice: bool = False,
        say: Callable[[str], None] = _say,
    ) -> None:
        """Take what makes the instance of a match, and the games that it plays. Raises SetupError.

        On a ladder, `is_practice` asks for unrated matches only.
        `say` takes lines for the author, by default to stderr.
        """
        self._make_bot = make_bot
        try:
            self._games = [codec_for(game).game.id for game in games]
        except CodecError as error:
            raise SetupError(f"games: {error.problem}") from None
        self._version = version
        self._max_matches = max_matches
        self._queue = wire.QUEUE_PRACTICE if is_practice else wire.QUEUE_UNSPECIFIED
        self._say = say
        self._token = ""
        self._max_note_bytes = 0
        self._is_welcome = False
        self._running: dict[str, _Running] = {}
        self._unconfirmed: set[str] = set()
        self.is_fenced = False
        """Whether a newer connection took over: do not return."""

    @property
    def is_welcome(self) -> bool:
        """Whether the server has answered Hello on the current stream."""
        return self._is_welcome

    @property
    def match_ids(self) -> tuple[str, ...]:
        """The matches that are being played."""
        return tuple(self._running)

    # -- the stream

    def hello(self) -> wire.PlayRequest:
        """Return what opens a stream: the first one, or one after a loss, on which the session is taken up again."""
        self._is_welcome = False
        self._unconfirmed.clear()
        resume = [wire.Resume(match_id=name, last_event=each.last_event) for name, each in self._running.items()]
        return wire.PlayRequest(
            hello=wire.Hello(
                protocol_version=PROTOCOL_VERSION,
                sdk=SDK,
                bot_version=self._version,
                games=self._games,
                max_matches=self._max_matches,
                session_token=self._token,
                resume=resume if self._token else [],
                queue=self._queue,
            )
        )

    def react(self, response: wire.PlayResponse) -> wire.PlayRequest | None:
        """Take a message, call the bot if it asks for that, and return what to send; for a bot without `async`.

        Raises BotError and ProtocolError.
        """
        step = self.receive(response)
        return self.answer(step, step.call()) if isinstance(step, Ask) else step

    def receive(self, response: wire.PlayResponse) -> Ask | wire.PlayRequest | None:
        """Take a message; return what is to be done about it. Raises BotError and ProtocolError."""
        kind = response.WhichOneof("message")
        if kind is None:
            self._say("skipped a message of the server that this SDK does not know; is there a newer SDK?")
            return None
        if not self._is_welcome and kind not in ("welcome", "notice"):
            raise ProtocolError(f"the server sent {kind} before welcome")
        step: Ask | wire.PlayRequest | None = None
        try:
            match kind:
                case "decision":
                    step = self._decision(response.decision)
                case "refused":
                    step = self._refused(response.refused)
                case "events":
                    self._events(response.events)
                case "match_start":
                    self._match_start(response.match_start)
                case "match_end":
                    self._match_end(response.match_end)
                case "welcome":
                    self._welcome(response.welcome)
                case "notice":
                    self._notice(response.notice)
                case "heartbeat":
                    pass  # an answer to one of the bot's, and this SDK sends none: HTTP/2 pings do that work
        except CodecError as error:
            raise ProtocolError(f"{kind}: {error}") from error
        return step

    def answer(self, ask: Ask, action: Any) -> wire.PlayRequest | None:
        """Return the message that answers with an action; None when it is asked no longer. Raises BotError."""
        if ask.is_told:
            return None
        running = ask.running
        note, running.bot.note = running.bot.note, ""
        with Blamed(ask.where):
            if action is None and ask.fallback is not None:
                action = ask.fallback()
            if action is None:
                raise TypeError("decide() returned None; it must return an action of the game")
            size = len(note.encode())
            if size > self._max_note_bytes:
                raise ValueError(f"self.note has {size} bytes in UTF-8; at most {self._max_note_bytes} are kept")
            message = running.codec.action(action)
        if running.asked == ask.number:
            running.asked = 0
        if ask.number < running.answered:
            return None
        request = wire.PlayRequest(
            answer=wire.Answer(match_id=running.info.match_id, decision_id=ask.number, action=message, note=note)
        )
        running.answered, running.answer, running.action = ask.number, request, action
        is_open = running.number == ask.number and self._running.get(running.info.match_id) is running
        return request if is_open else None

    # -- one kind of message each

    def _welcome(self, message: wire.Welcome) -> None:
        if self._is_welcome:
            raise ProtocolError("the server said welcome twice")
        self._is_welcome = True
        self._token = message.session_token
        self._max_note_bytes = message.limits.max_note_bytes
        if message.resumed:
            self._unconfirmed = set(self._running)
        elif self._running:
            self._say(f"the server does not know this session any more; dropped: {', '.join(self._running)}")
            self._running.clear()

    def _notice(self, message: wire.Notice) -> None:
        if message.kind == wire.NOTICE_KIND_FENCED:
            self.is_fenced = True
        self._say(f"notice of the server: {message.code}: {message.sentence} {message.match_id}".rstrip())
        if message.code == "unknown_match" and message.match_id in self._running:
            del self._running[message.match_id]
            self._unconfirmed.discard(message.match_id)

    def _match_start(self, message: wire.MatchStart) -> None:
        if message.match_id in self._unconfirmed:
            self._unconfirmed.discard(message.match_id)
            self._running[message.match_id].number = 0
            return
        if message.match_id in self._running:
            raise ProtocolError(f"match {message.match_id} started twice")
        if not message.match_id:
            raise ProtocolError("a match started without match_id")
        codec = codec_for(message.game)
        if codec.game.id not in self._games:
            raise ProtocolError(f"match {message.match_id} is of {message.game}; this bot plays {self._games}")
        info = _match_info(message, codec)
        with Blamed(f"start() in match {info.match_id}"):
            bot = self._make_bot()
            bot.match = info
            bot.rng = bot_stream(info.match_id, info.seat)
            self._running[info.match_id] = _Running(bot, info, codec)
            bot.start(info)

    def _decision(self, message: wire.Decision) -> Ask | wire.PlayRequest | None:
        running = self._known(message.match_id, "decision")
        self._hear(running, message.events, message.last_event)
        if message.decision_id == running.answered and running.answer is not None:
            running.number = running.answered
            return running.answer
        if message.decision_id <= running.answered:
            raise ProtocolError(f"decision {message.decision_id} was asked after {running.answered} was answered")
        observation = running.codec.decode_observation(message.observation, running.info.options)
        asked = running.codec.game.observed_decision(observation)
        if asked is None or asked.phase != message.phase or observation.viewer != running.info.seat:
            raise ProtocolError(f"decision {message.decision_id} does not go with its observation")
        bot = running.bot
        running.number = message.decision_id
        if running.asked == message.decision_id:
            return None  # lost and asked again while the bot, which is async, is still at it
        running.asked, running.action = message.decision_id, None
        bot.decision = DecisionInfo(
            number=message.decision_id,
            phase=message.phase,
            kinds=tuple(message.kinds),
            sealed=message.sealed,
            time_ms=message.time_ms,
            bank_ms=message.bank_ms,
            charged_ms=message.charged_ms,
            space=cast("Space[Any]", asked.space),  # the space of every game has what a bot asks beside
        )
        return Ask(running, running.number, self._where("decide()", running), lambda: bot.decide(observation))

    def _refused(self, message: wire.Refused) -> Ask | None:
        running = self._known(message.match_id, "refused")
        if not running.number or message.decision_id != running.number:
            # Of an earlier decision, or of none: nothing can be answered, and the open one stands as it did.
            self._say(f"match {message.match_id}, decision {message.decision_id}: {message.code}: {message.sentence}")
            return None
        bot, number = running.bot, running.number
        action = running.action if running.answered == number else None
        refusal = Refusal(message.code, message.sentence, message.tries_left, message.time_ms, action)
        where = self._where("refused()", running)
        if not message.tries_left:
            running.number = 0
            return Ask(running, number, where, lambda: bot.refused(refusal), is_told=True)
        running.asked = number

        return Ask(running, number, where, lambda: bot.refused(refusal), bot.decision.default)

    def _events(self, message: wire.Events) -> None:
        self._hear(self._known(message.match_id, "events"), message.events, message.last_event)

    def _match_end(self, message: wire.MatchEnd) -> None:
        running = self._known(message.match_id, "match_end")
        end = _match_over(message, running)
        del self._running[message.match_id]
        self._unconfirmed.discard(message.match_id)
        with Blamed(self._where("finish()", running)):
            running.bot.finish(end)

    def _known(self, match_id: str, kind: str) -> _Running:
        running = self._running.get(match_id)
        if running is None:
            raise ProtocolError(f"{kind} of match {match_id[:80]!r}, which is not being played")
        if match_id in self._unconfirmed and kind != "match_end":
            raise ProtocolError(f"{kind} of match {match_id} came before its match_start on the new stream")
        return running

    def _hear(self, running: _Running, messages: Sequence[Any], last: int) -> None:
        """Pass on the events that the bot has not seen; their numbers tell."""
        first = last - len(messages) + 1
        if messages and (first < 1 or first > running.last_event + 1):
            raise ProtocolError(
                f"match {running.info.match_id}: events {first} to {last} after {running.last_event}; some are missing"
            )
        fresh = messages[max(0, running.last_event + 1 - first) :] if messages else ()
        if fresh:
            events = [running.codec.decode_event(message) for message in fresh]
            running.last_event = last
            with Blamed(self._where("events()", running)):
                running.bot.events(events)

    def _where(self, method: str, running: _Running) -> str:
        decision = f", decision {running.number}" if running.number else ""
        return f"{method} in match {running.info.match_id}{decision}"


def bot_stream(match_id: str, seat: int) -> Stream:
    """Return the numbers of `Bot.rng`: the stream of SHA-256(match id in UTF-8 ‖ "/" ‖ seat)."""
    return Stream(hashlib.sha256(f"{match_id}/{seat}".encode()).digest(), "bot")


def _match_info(message: wire.MatchStart, codec: Codec) -> MatchInfo:
    options = codec.decode_options(message.options)
    seats = tuple(SeatInfo(seat.bot, seat.version) for seat in message.seats)
    if len(seats) != codec.game.seats(options) or message.seat >= len(seats):
        raise ProtocolError(f"match {message.match_id}: seat {message.seat} of {len(seats)} does not fit its options")
    clock = message.clock
    return MatchInfo(
        match_id=message.match_id,
        game=message.game,
        options=options,
        seat=message.seat,
        seats=seats,
        clock=Clock(clock.bank_ms, clock.increment_ms, clock.cap_ms, clock.allowance_ms),
        commitment=message.commitment,
        deal=codec.decode_deal(message.deal),
    )


_TERMINATIONS = {wire.TERMINATION_NORMAL: "normal", wire.TERMINATION_RETIRED: "retired"}


def _match_over(message: wire.MatchEnd, running: _Running) -> MatchOver:
    revealed = message.HasField("reveal")
    return MatchOver(
        match_id=message.match_id,
        end=message.end,
        ranks=tuple(message.ranks),
        totals=tuple(message.totals),
        terminations=tuple(_TERMINATIONS.get(each, "unspecified") for each in message.terminations),
        is_void=message.is_void,
        seed=message.reveal.seed if revealed else None,
        scores=tuple(running.codec.decode_score(score) for score in message.reveal.scores) if revealed else None,
    )
