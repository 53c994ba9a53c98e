"""The viewer's data against the engine: every position, for all eyes, field by field."""

import gzip
import json
import time
from dataclasses import replace
from typing import Any

import pytest
from gavelport_engine.game import SPECTATOR
from gavelport_engine.registry import GAMES
from gavelport_server.archive.playback import Playback
from gavelport_server.archive.record import Replay
from gavelport_server.archive.replay import decode_replay, encode_replay
from gavelport_server.pages.delta import applied, changes
from gavelport_server.pages.scene import scene, view_of
from gavelport_server.pages.tables import TABLES

from tests.archive.play import played_match
from tests.pages.folders import NOTE, report_of

VIEWS = ["full", "spectator", "0", "2"]


@pytest.fixture(scope="module", params=sorted(GAMES))
def replay(request: pytest.FixtureRequest) -> Replay:
    return decode_replay(encode_replay(report_of(request.param, 1)))


def through_json(told: object) -> Any:
    return json.loads(json.dumps(told))


def test_every_game_has_a_table() -> None:
    assert TABLES.keys() == GAMES.keys()


@pytest.mark.parametrize("view_name", VIEWS)
def test_the_table_at_every_decision_is_the_engines(replay: Replay, view_name: str) -> None:
    view = view_of(view_name, 3)
    assert view is not None
    told = through_json(scene(replay, view))
    game = replay.header.game

    def engines(state: Any) -> Any:
        if view == "full":
            return through_json(game.to_notation(state))
        return through_json(game.observation_to_notation(game.observation(state, view)))

    playback = Playback(replay)
    position = told["start"]
    assert position == engines(playback.state)
    for step, told_step in zip(playback, told["steps"], strict=True):
        position = applied(position, told_step.get("to", []))
        assert position == engines(playback.state), step.place
        assert (told_step["turn"], told_step["seat"], told_step["phase"]) == (step.turn, step.seat, step.phase)
    assert told["totals"] == list(replay.end.totals)
    assert told["problem"] == ""


def test_what_a_viewer_may_not_see_is_not_in_its_scene(replay: Replay) -> None:
    """The scenes of a spectator differ in nothing, whatever is hidden: no cash, card, worth or chart of it."""
    game = replay.header.game
    told = through_json(scene(replay, SPECTATOR))
    assert NOTE not in json.dumps(told)
    if game.name == "container":
        position, now = told["start"], told["start_now"]
        for step in told["steps"][:-1]:
            assert {own["cash"] for own in position["seats"]} == {None}
            assert set(now["score"]) == set(now["island"]) == {None}
            position, now = applied(position, step.get("to", [])), applied(now, step.get("now", []))
        assert told["auctions"]
        assert all(set(one["worth"]) == set(one["face"]) == {None} for one in told["auctions"])
        assert {value for row in told["chart"][:-1] for value in row[1:]} == {None}
    else:
        hidden = [one for own in told["start"]["seats"] for one in own["orders"] if one["hidden"]]
        assert hidden
        assert {one["card"] for one in hidden} == {None}


def test_a_seat_sees_its_own_worth_only() -> None:
    told = scene(decode_replay(encode_replay(report_of("container", 1))), 1)
    for auction in told["auctions"]:
        assert [one is None for one in auction["worth"]] == [True, False, True]
    assert [own["cash"] is None for own in told["start"]["seats"]] == [True, False, True]


def test_the_scoring_adds_up_to_the_result(replay: Replay) -> None:
    told = scene(replay, "full")
    sums = [sum(line["amounts"][seat] for line in told["scoring"]) for seat in range(3)]
    assert sums == told["totals"]


def test_the_accounts_of_all_years_add_up_to_the_cash() -> None:
    told = through_json(scene(decode_replay(encode_replay(report_of("shipping", 1))), SPECTATOR))
    cash = [own["cash"] for own in told["start"]["seats"]]
    for account in told["accounts"]:
        for _, amounts in account["lines"]:
            cash = [one + more for one, more in zip(cash, amounts, strict=True)]
        position = told["start"]
        for step in told["steps"][: account["at"]]:
            position = applied(position, step.get("to", []))
        assert cash == [own["cash"] for own in position["seats"]]
    assert [account["year"] for account in told["accounts"]] == [1, 2, 3]


def test_an_untrue_replay_is_shown_up_to_the_difference(replay: Replay) -> None:
    wrong = replace(replay, end=replace(replay.end, totals=(1, 2, 3)))
    assert "by the rules" in scene(wrong, "full")["problem"]
    early = replace(replay, prefixes=(b"\0\0\0\0", *replay.prefixes[1:]))
    told = scene(early, "full")
    assert "fingerprint" in told["problem"]
    assert len(told["steps"]) < len(replay.choices)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": 1}, {"a": 1}),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": 0}]}),
        ({"a": {"x": 1}}, {"a": {"y": 1}}),
        ({"a": [1]}, {"a": [1, 2]}),
        ({"a": None}, {"a": {"b": 1}}),
    ],
)
def test_differences_lead_from_one_value_to_the_other(before: Any, after: Any) -> None:
    kept = json.dumps(before)
    assert json.dumps(applied(before, changes(before, after))) == json.dumps(after)
    assert json.dumps(before) == kept


def test_a_long_match_is_small(capsys: pytest.CaptureFixture[str]) -> None:
    """Some 1,500 decisions, as are played at most."""
    report = max((played_match(number, seats=5) for number in range(4)), key=lambda one: len(one.record))
    replay = decode_replay(encode_replay(report))
    began = time.perf_counter()
    packed = gzip.compress(json.dumps(scene(replay, "full"), separators=(",", ":")).encode(), 6)
    seconds = time.perf_counter() - began
    with capsys.disabled():
        print(f"\n{len(replay.choices)} decisions: {len(packed):,} bytes in {seconds:.2f} s")
    assert len(packed) < 60 * len(replay.choices)
