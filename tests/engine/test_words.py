"""A game without words of its own is told by its notation."""

import json

from gavelport_engine.container import events as ev
from gavelport_engine.container.actions import Bid
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import Options
from gavelport_engine.playout import playout
from gavelport_engine.words import PlainWords

WORDS = PlainWords(CONTAINER, ("ann", "bob", "cat"))


def test_decisions_and_events() -> None:
    assert json.loads(WORDS.action(Bid(3), "bid")) == {"type": "bid", "amount": 3, "loans": 0}
    assert WORDS.event(ev.Passed(1)) == "seat 1 passes"
    assert WORDS.turn(ev.TurnBegan(4, 2)) == (4, 2)
    assert WORDS.turn(ev.Passed(1)) is None


def test_beginning_and_end() -> None:
    options = Options(seats=3)
    sentence, columns = WORDS.deal(CONTAINER.deal_to_notation(options, bytes(32)))
    assert sentence.startswith('Dealt: {"start_seat": ')
    assert set(columns) == {"factories", "cards"}
    assert all(len(column) == 3 for column in columns.values())
    state = playout(CONTAINER, options, bytes(32)).state
    assert WORDS.holdings(state) == ""
    assert WORDS.end("stalled") == "stalled"
    line = CONTAINER.outcome(state).scores[0]
    assert WORDS.score(line) == {key: str(value) for key, value in line.items()}
