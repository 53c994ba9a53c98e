"""The session after a lost stream: matches go on where they were, and the bot does not notice."""

from __future__ import annotations

import pytest
from gavelport.v1 import referee_pb2 as wire
from gavelport_engine.container.actions import Pass, Sail
from gavelport_sdk.errors import ProtocolError
from gavelport_sdk.session import Ask, Session

from tests.sdk.script import Diary, Script, action_in, begun, new, notice, welcome


@pytest.fixture(autouse=True)
def _empty_diaries() -> None:
    Diary.all.clear()


def returned(session: Session, script: Script, *, is_known: bool = True) -> wire.Hello:
    """Lose the stream and come back; return what Hello said."""
    hello = session.hello().hello
    session.react(welcome("session-2", resumed=is_known))
    return hello


def test_on_a_return_hello_names_session_and_events() -> None:
    session, script = begun()
    session.react(script.decision())
    hello = returned(session, script)
    assert hello.session_token == "session-1"
    assert [(each.match_id, each.last_event) for each in hello.resume] == [("m-1", len(script.events))]
    assert returned(session, script).session_token == "session-2"


def test_an_answer_that_was_lost_is_sent_again_without_asking_the_bot_twice() -> None:
    session, script = begun()
    lost = session.react(script.decision())
    returned(session, script)
    session.react(script.start())
    assert session.react(script.decision(is_again=True)) == lost
    assert Diary.all[0].lines == ["start m-1", "events", "decide 1"]
    assert len(Diary.all) == 1


def test_a_match_goes_on_with_the_events_that_were_missed() -> None:
    session, script = begun()
    session.react(script.decision())
    script.play(Pass())
    returned(session, script)
    session.react(script.start())
    session.react(script.tell())
    assert action_in(session.react(script.decision())) == Pass()
    (bot,) = Diary.all
    assert bot.heard == script.events
    assert bot.lines == ["start m-1", "events", "decide 1", "events", "decide 2"]


def test_events_that_come_twice_are_heard_once() -> None:
    session, script = begun()
    session.react(script.decision())
    script.play(Pass())
    returned(session, script)
    session.react(script.start())
    script.told = 0
    session.react(script.tell())
    assert Diary.all[0].heard == script.events


def test_an_asynchronous_bot_is_not_asked_twice_while_it_thinks() -> None:
    session, script = begun()
    ask = session.receive(script.decision())
    assert isinstance(ask, Ask)
    returned(session, script)
    session.react(script.start())
    assert session.receive(script.decision(is_again=True)) is None
    assert action_in(session.answer(ask, Pass())) == Pass()


def test_what_it_thought_of_between_streams_is_sent_when_asked_again() -> None:
    session, script = begun()
    ask = session.receive(script.decision())
    assert isinstance(ask, Ask)
    returned(session, script)
    session.react(script.start())
    assert session.answer(ask, Sail(2)) is None
    assert action_in(session.react(script.decision(is_again=True))) == Sail(2)


def test_what_comes_after_the_time_is_dropped() -> None:
    session, script = begun()
    late = session.receive(script.decision())
    assert isinstance(late, Ask)
    session.react(script.refused("timeout", tries_left=0))
    script.play(Pass())
    ask = session.receive(script.decision())
    assert isinstance(ask, Ask)
    assert session.answer(late, Sail(2)) is None
    assert action_in(session.answer(ask, Pass())) == Pass()
    assert session.answer(late, Sail(2)) is None
    assert action_in(session.react(script.refused())) == Pass()


def test_a_session_that_the_server_does_not_know_begins_anew() -> None:
    said: list[str] = []
    session, script = new(said=said), Script()
    session.hello()
    for response in (welcome(), script.start()):
        session.react(response)
    returned(session, script, is_known=False)
    assert session.match_ids == ()
    assert said == ["the server does not know this session any more; dropped: m-1"]
    session.react(script.start())
    assert len(Diary.all) == 2


def test_a_match_that_ended_meanwhile_is_finished_or_forgotten() -> None:
    session, script = begun()
    session.react(Script("m-2").start())
    returned(session, script)
    session.react(script.end(is_void=True))
    session.react(notice("unknown_match", match_id="m-2"))
    assert session.match_ids == ()
    ended = Diary.all[0].end
    assert ended is not None
    assert ended.is_void


def test_on_a_return_a_match_starts_before_it_goes_on() -> None:
    session, script = begun()
    returned(session, script)
    with pytest.raises(ProtocolError, match="before its match_start"):
        session.react(script.decision())
