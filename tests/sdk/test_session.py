"""The session as a state machine: what comes in, and what the bot and the server hear of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from gavelport.v1 import container_pb2, game_pb2
from gavelport.v1 import referee_pb2 as wire
from gavelport_engine.container.actions import Bid, Pass, Sail
from gavelport_engine.container.table import Observation
from gavelport_engine.rng import commitment
from gavelport_sdk import Bot
from gavelport_sdk.errors import BotError, ProtocolError, SetupError
from gavelport_sdk.session import Session, bot_stream
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sdk.script import OPTIONS, SEED, Diary, Script, action_in, begun, hear_all, new, notice, welcome

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def _empty_diaries() -> None:
    Diary.all.clear()


def test_hello_says_what_the_bot_is() -> None:
    hello = new().hello().hello
    assert hello.protocol_version == 1
    assert hello.games == ["container@1"]
    assert (hello.bot_version, hello.max_matches, hello.events_only) == ("7", 2, False)
    assert hello.sdk.startswith("gavelport-python")
    assert (hello.session_token, list(hello.resume)) == ("", [])


def test_a_game_that_is_not_known_is_a_fault_of_the_set_up() -> None:
    with pytest.raises(SetupError, match="'chess' is not known here; there is container@1"):
        Session(Diary, ("chess",))


def test_a_match_from_start_to_finish() -> None:
    session, script = begun()
    (bot,) = Diary.all
    assert bot.match.match_id == "m-1"
    assert (bot.match.game, bot.match.options, bot.match.seat) == ("container@1", OPTIONS, script.seat)
    assert [seat.bot for seat in bot.match.seats] == ["bot0", "bot1", "bot2"]
    assert bot.match.clock.cap_ms == 5_000
    assert bot.match.commitment == commitment(SEED, "m-1")
    assert bot.match.deal["card"] in "ABCDE"

    for number in (1, 2, 3):
        request = session.react(script.decision())
        assert request is not None
        assert (request.answer.match_id, request.answer.decision_id) == ("m-1", number)
        assert action_in(request) == Pass()
        assert (bot.decision.time_ms, bot.decision.bank_ms, bot.decision.charged_ms) == (5_100, 20_000, 7)
        assert "pass" in bot.decision.kinds
        script.play(Pass())
    assert session.react(script.tell()) is None
    assert list(session.match_ids) == ["m-1"]
    assert session.react(script.end()) is None
    assert list(session.match_ids) == []
    assert bot.heard == script.events
    assert bot.lines[:3] == ["start m-1", "events", "decide 1"]
    assert bot.lines[-1] == "finish"
    assert bot.end is not None
    assert (bot.end.ranks, bot.end.totals, bot.end.end) == ((1, 2, 2), (30, -1, -1), "stalled")
    assert bot.end.terminations == ("normal", "retired", "normal")
    assert (bot.end.seed, bot.end.scores, bot.end.is_void) == (None, None, False)


def test_the_end_with_what_was_hidden() -> None:
    session, script = begun()
    score = game_pb2.GameScore(container=container_pb2.ContainerScore(cash=3, card="B"))
    session.react(script.end(reveal=wire.Reveal(seed=SEED, scores=[score] * 3)))
    (bot,) = Diary.all
    assert bot.end is not None
    assert bot.end.seed == SEED
    assert bot.end.scores is not None
    assert bot.end.scores[0]["cash"] == 3


def test_one_instance_a_match() -> None:
    session, script = begun()
    other = Script("m-2")
    session.react(other.start())
    session.react(other.decision())
    session.react(script.decision())
    first, second = Diary.all
    assert first.lines == ["start m-1", "events", "decide 1"]
    assert second.lines == ["start m-2", "events", "decide 1"]


def test_chance_depends_on_match_and_seat_alone() -> None:
    def numbers(match_id: str, seat: int) -> list[int]:
        stream = bot_stream(match_id, seat)
        return [stream.below(1000) for _ in range(5)]

    assert numbers("m", 0) == numbers("m", 0)
    assert len({tuple(numbers(match_id, seat)) for match_id in ("m", "n") for seat in (0, 1)}) == 4
    begun()
    (bot,) = Diary.all
    assert [bot.rng.below(1000) for _ in range(5)] == numbers("m-1", bot.match.seat)


def test_the_observation_is_the_engine_s() -> None:
    seen: list[Observation] = []

    class Looking(Diary):
        def decide(self, observation: Observation) -> Any:
            seen.append(observation)
            return Pass()

    session, script = begun(Looking)
    session.react(script.decision())
    (observation,) = seen
    assert observation.viewer == script.seat
    assert observation.table == script.state.table
    assert observation.cash == 20


class Noting(Diary):
    text = "I think so"

    def decide(self, observation: Any) -> Any:
        self.note = self.text
        return Pass()


def test_a_note_goes_with_one_answer() -> None:
    session, script = begun(Noting)
    request = session.react(script.decision())
    assert request is not None
    assert request.answer.note == "I think so"
    assert Diary.all[0].note == ""


def test_a_note_that_is_too_long_is_told_to_the_author() -> None:
    class Wordy(Noting):
        text = "ö" * 513

    session, script = begun(Wordy)
    with pytest.raises(BotError) as caught:
        session.react(script.decision())
    assert "1026 bytes in UTF-8; at most 1024" in str(caught.value.__cause__)


# -- refusals


def test_a_refusal_is_answered_with_the_default_unless_the_bot_has_another() -> None:
    session, script = begun()
    session.react(script.decision())
    assert action_in(session.react(script.refused())) == Pass()
    (refusal,) = Diary.all[0].refusals
    assert (refusal.code, refusal.sentence) == ("no_cash", "because of no_cash")
    assert (refusal.tries_left, refusal.time_ms, refusal.action) == (2, 900, Pass())


def test_another_action_after_a_refusal() -> None:
    class Trying(Diary):
        def refused(self, refusal: Any) -> Any:
            return Bid(refusal.tries_left)

    session, script = begun(Trying)
    session.react(script.decision())
    assert action_in(session.react(script.refused(tries_left=2))) == Bid(2)
    assert action_in(session.react(script.refused(tries_left=1))) == Bid(1)
    assert session.react(script.refused(tries_left=0)) is None


def test_without_tries_left_nothing_is_answered() -> None:
    session, script = begun()
    session.react(script.decision())
    assert session.react(script.refused("timeout", tries_left=0)) is None
    assert session.react(script.refused("too_late", tries_left=0)) is None
    assert [refusal.code for refusal in Diary.all[0].refusals] == ["timeout"]


def test_a_refusal_of_an_earlier_decision_leaves_the_open_one_alone() -> None:
    said: list[str] = []
    session, script = new(said=said), Script()
    session.hello()
    for response in (welcome(), script.start(), script.decision()):
        session.react(response)
    script.play(Pass())
    session.react(script.decision())
    assert session.react(script.refused("already_answered", 2, number=1)) is None
    assert said == ["match m-1, decision 1: already_answered: because of already_answered"]
    assert action_in(session.react(script.refused())) == Pass()


def test_the_reason_is_written_to_stderr_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    class Plain(Bot):
        def decide(self, observation: Any) -> Any:
            return Sail(2)

    session, script = begun(Plain)
    session.react(script.decision())
    assert action_in(session.react(script.refused())) == Pass()
    said = capsys.readouterr().err
    assert "refused (2 tries left): no_cash: because of no_cash" in said
    assert "Sail(to=2" in said


# -- what a bot does wrong


class Raising(Diary):
    def decide(self, observation: Any) -> Any:
        raise ZeroDivisionError("by me")


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        (None, "decide() returned None; it must return an action of the game"),
        (Bid(-1), "Bid.amount: should be a whole number from 0 "),
        ("pass", "str is none of the game container"),
    ],
)
def test_what_is_no_action_is_told_to_the_author(returned: Any, problem: str) -> None:
    class Returning(Diary):
        def decide(self, observation: Any) -> Any:
            return returned

    session, script = begun(Returning)
    with pytest.raises(BotError, match=re.escape("decide() in match m-1, decision 1")) as caught:
        session.react(script.decision())
    assert problem in str(caught.value.__cause__)


def test_an_exception_says_where_it_happened() -> None:
    session, script = begun(Raising)
    with pytest.raises(BotError, match=re.escape("decide() in match m-1, decision 1")) as caught:
        session.react(script.decision())
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("method", ["start", "events", "refused", "finish"])
def test_an_exception_in_any_method_says_where_it_happened(method: str) -> None:
    def broken(self: Any, _: Any) -> None:
        raise KeyError(method)

    session, script = new(type("Broken", (Diary,), {method: broken})), Script()
    session.hello()
    responses = [welcome(), script.start(), script.decision(), script.refused(), script.end()]
    with pytest.raises(BotError, match=re.escape(f"{method}() in match m-1")):
        hear_all(session, responses)


# -- the server's other messages, and its mistakes


def test_a_heartbeat_is_not_answered() -> None:
    """The referee answers a bot's heartbeats; if both sides answered, they would never end."""
    session, _ = begun()
    assert session.react(wire.PlayResponse(heartbeat=wire.Heartbeat(number=2**60))) is None


def test_a_message_of_a_later_server_is_skipped() -> None:
    said: list[str] = []
    session = new(said=said)
    session.hello()
    assert session.react(wire.PlayResponse()) is None
    assert said == ["skipped a message of the server that this SDK does not know; is there a newer SDK?"]


def test_notices_are_passed_on() -> None:
    said: list[str] = []
    session = new(said=said)
    session.hello()
    session.react(notice("draining", wire.NOTICE_KIND_DRAINING))
    fenced = [session.is_fenced]
    session.react(notice("fenced", wire.NOTICE_KIND_FENCED))
    fenced.append(session.is_fenced)
    assert fenced == [False, True]
    assert said[0] == "notice of the server: draining: this is draining"


def with_field(response: wire.PlayResponse, kind: str, **changed: Any) -> wire.PlayResponse:
    for name, value in changed.items():
        setattr(getattr(response, kind), name, value)
    return response


MISTAKES: dict[str, tuple[Callable[[Script], list[wire.PlayResponse]], str]] = {
    "no welcome": (lambda script: [script.start()], "match_start before welcome"),
    "welcome twice": (lambda _: [welcome(), welcome()], "welcome twice"),
    "start twice": (lambda script: [welcome(), script.start(), script.start()], "started twice"),
    "no match id": (lambda _: [welcome(), Script("").start()], "without match_id"),
    "unknown match": (lambda script: [welcome(), script.decision()], "which is not being played"),
    "unknown game": (lambda script: [welcome(), script.start(game="go@1")], "'go@1' is not known here"),
    "wrong seat": (lambda script: [welcome(), script.start(seat=3)], "does not fit its options"),
    "no options": (
        lambda _: [welcome(), wire.PlayResponse(match_start=wire.MatchStart(match_id="m", game="container@1"))],
        "options",
    ),
    "gap in events": (
        lambda script: [welcome(), script.start(), with_field(script.decision(), "decision", last_event=9)],
        "some are missing",
    ),
    "no observation": (
        lambda script: [
            welcome(),
            script.start(),
            wire.PlayResponse(decision=wire.Decision(match_id="m-1", decision_id=1, phase="action")),
        ],
        "observation",
    ),
    "wrong phase": (
        lambda script: [welcome(), script.start(), with_field(script.decision(), "decision", phase="bid")],
        "does not go with its observation",
    ),
    "decision 0": (
        lambda script: [welcome(), script.start(), with_field(script.decision(), "decision", decision_id=0)],
        "decision 0 was asked after 0",
    ),
    "an earlier decision": (
        lambda script: [
            welcome(),
            script.start(),
            script.decision(),
            script.decision(),
            with_field(script.decision(), "decision", decision_id=1),
        ],
        "decision 1 was asked after 2 was answered",
    ),
}


@pytest.mark.parametrize(("mistake", "problem"), MISTAKES.values(), ids=MISTAKES)
def test_a_server_that_breaks_the_protocol(mistake: Callable[[Script], list[wire.PlayResponse]], problem: str) -> None:
    session = new()
    session.hello()
    with pytest.raises(ProtocolError, match=re.escape(problem)):
        hear_all(session, mistake(Script()))


damages = st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)))


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 5), damages), max_size=8))
def test_junk_from_a_server_is_answered_or_refused(junk: list[tuple[int, list[tuple[int, int]]]]) -> None:
    """Damaged messages in any order lead to ProtocolError or are taken; the bot's own code is never blamed."""
    script = Script()
    messages = [welcome(), script.start(), script.decision(), script.refused(), script.tell(), script.end()]
    session = new()
    session.hello()
    said = ""
    try:
        hear_all(session, [welcome(), Script().start()])
        for which, changes in junk:
            content = bytearray(messages[which].SerializeToString())
            for place, value in changes:
                content[place % len(content)] = value
            session.react(wire.PlayResponse.FromString(bytes(content)))
    except (DecodeError, ProtocolError) as error:
        said = str(error)
    assert said.isprintable()


@pytest.mark.parametrize(("is_practice", "queue"), [(False, wire.QUEUE_UNSPECIFIED), (True, wire.QUEUE_PRACTICE)])
def test_hello_says_what_the_bot_has_come_for(is_practice: bool, queue: wire.Queue.ValueType) -> None:
    assert Session(Diary, Diary.games, is_practice=is_practice).hello().hello.queue == queue
