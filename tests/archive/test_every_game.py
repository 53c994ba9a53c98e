"""Whatever the game: its matches are kept, verified, exported and shown, and what was changed is found."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from gavelport_engine.rng import Stream
from gavelport_server.archive.export import jsonl
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.replay import decode_replay, encode_replay, replay_of
from gavelport_server.archive.show import WIDTH, shown
from gavelport_server.archive.verify import verify
from rich.console import Console

from tests.archive.play import played_match
from tests.games.registry import SAMPLES, every_game

if TYPE_CHECKING:
    from gavelport_server.archive.record import Replay
    from gavelport_server.referee.report import MatchReport

    from tests.games.samples import Samples


def match(samples: Samples, number: int, *, has_faults: bool = True) -> MatchReport:
    """Return a match of random play with as many seats as the game takes, one after the other."""
    game = samples.game
    seats = game.least_seats + number % (game.most_seats - game.least_seats + 1)
    options = game.options_to_notation(samples.long) | {"seats": seats}
    faults: Any = {7: "timeout", 20: "illegal"} if has_faults else {}
    return played_match(number, seats=seats, game=game, options=options, faults=faults, notes={3: "a belief"})


@every_game
@pytest.mark.parametrize("number", range(4))
def test_a_match_is_kept_and_verified(samples: Samples, number: int) -> None:
    report = match(samples, number)
    key = bytes(16)
    replay = decode_replay(encode_replay(report, key))
    assert replay == replay_of(report, key)
    figures = verify(replay)
    assert [seat.decisions for seat in figures] == [seat.decisions for seat in report.figures]


def records_of(replay: Replay) -> list[dict[str, Any]]:
    """Return the exported file's records."""
    return [json.loads(line) for line in jsonl(replay).splitlines()]


@every_game
@pytest.mark.parametrize("number", range(4))
def test_an_export_has_every_checkpoint_in_its_place(samples: Samples, number: int) -> None:
    """Played again from the file alone, each fingerprint is that of the position at its place."""
    game = samples.game
    header, *records, result = records_of(replay_of(match(samples, number)))
    assert header["game"] == game.name
    options, seed = game.options(header["options"]), bytes.fromhex(result["seed"])
    assert header["deal"] == game.deal_to_notation(options, seed)
    state = game.initial_state(options, seed)
    expected = [
        {**each.record, "fingerprint": each.fingerprint.hex()} for each in game.opening(options, seed).checkpoints
    ]
    for record in records:
        if record["record"] != "decision":
            assert record == expected.pop(0)
            continue
        assert expected == []
        (action, seat) = game.action_from_notation(record["action"]), record["seat"]
        assert (record["turn"], record["phase"]) == (game.turn(state), game.decision(state, seat).phase)
        state, trace = game.apply(state, {seat: action})
        expected = [{**each.record, "fingerprint": each.fingerprint.hex()} for each in trace.checkpoints]
    assert expected == []
    assert records[-1]["fingerprint"] == game.fingerprint(state).hex()
    outcome = game.outcome(state)
    assert result == {
        "record": "result",
        "end": outcome.end,
        "retired": [],
        game.total_unit: list(outcome.totals),
        "ranks": list(outcome.ranks),
        "scores": list(outcome.scores),
        "seed": seed.hex(),
    }


@every_game
def test_a_match_is_shown_within_the_page(samples: Samples) -> None:
    for number in range(2):
        replay = replay_of(match(samples, number))
        console = Console(width=WIDTH, highlight=False, color_system=None)
        with console.capture() as capture:
            for piece in shown(replay):
                console.print(piece)
        lines = capture.get().splitlines()
        assert max(map(len, lines)) <= WIDTH
        turns = [int(line.split()[1]) for line in lines if line.startswith("Turn ")]
        assert turns == list(range(1, len(turns) + 1))
        decisions = [line for line in lines if line[:5].strip().isdigit() and line.endswith(" ms")]
        assert len(decisions) == len(replay.choices)


def is_true(replay: Replay) -> bool:
    """Return whether verification finds nothing."""
    try:
        verify(replay)
    except Difference:
        return False
    return True


@every_game
def test_every_change_is_found(samples: Samples) -> None:
    """A decision left out, another action, another fingerprint, other totals: each is a difference."""
    replay = replay_of(match(samples, 1))
    place = Stream(bytes(32), "change").below(len(replay.choices))
    changed = {
        "left out": replace(replay, choices=replay.choices[:place] + replay.choices[place + 1 :]),
        "charged": replace(replay, choices=(replace(replay.choices[0], charged_ms=999), *replay.choices[1:])),
        "fingerprint": replace(replay, prefixes=(*replay.prefixes[:-1], bytes(4))),
        "totals": replace(replay, end=replace(replay.end, totals=tuple(total + 1 for total in replay.end.totals))),
        "seed": replace(replay, seed=bytes(32)),
    }
    assert is_true(replay)
    assert [what for what, forged in changed.items() if is_true(forged)] == []


def test_shipping_has_records_of_its_own() -> None:
    """The calendar's records (`shipping-notation.md`, "Exported replay") stand where they belong."""
    samples = SAMPLES["shipping"]
    header, *records, result = records_of(replay_of(match(samples, 1)))
    years = header["options"]["years"]
    news = [record for record in records if record["record"] == "news"]
    accounts = [record for record in records if record["record"] == "accounts"]
    assert [(each["year"], each["quarter"]) for each in news] == [
        (year, quarter) for year in range(1, years + 1) for quarter in range(1, 5)
    ]
    assert [each["card"] for each in news] == header["deal"]["news"][: 4 * years]
    assert [each["year"] for each in accounts] == list(range(1, years + 1))
    assert result["end"] == "years"
    assert len(result["points"]) == header["options"]["seats"]


def test_a_decision_of_shipping_takes_few_bytes() -> None:
    samples = SAMPLES["shipping"]
    stored = [encode_replay(match(samples, number, has_faults=False)) for number in range(4)]
    decisions = sum(len(decode_replay(each).choices) for each in stored)
    assert sum(map(len, stored)) / decisions < 6.3
