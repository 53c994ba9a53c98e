"""The tables as they come out on terminals of several widths, and as JSON."""

import io
import json
import re

import pytest
from gavelport_server.archive.fit import whole_history_of
from gavelport_server.cli.tables import (
    NONE,
    as_json,
    chance_tables,
    chance_text,
    faults_table,
    head_to_head_tables,
    interval_text,
    labels,
    running_table,
    span_text,
    standings_tables,
    whole,
)
from gavelport_server.conduct.summary import Summary, summarize
from gavelport_server.ratings.standing import Chance
from gavelport_server.storage.store import Entrant, Result
from rich.console import Console

from tests.tournament.build import record, result, seat, standings


def summary(bots: int = 4) -> Summary:
    faults = (("illegal", 2), ("timeout", 3))
    slip = seat(1, 2, -12, retired=True, faults=faults, first_fault="decision 7: timeout: no answer", refusals=6)
    results = [
        result(0, [seat(0, 1, 61), slip, seat(2, 3, 5)]),
        result(1, [seat(1, 1, 33), seat(0, 2, 20), seat(2, 2, 20)], rotation=1),
        result(2, [seat(1, 2, 20), seat(0, 1, 21), seat(2, 3, 10)], block=1),
    ]
    elos = [1523.25, 1488.0, 1476.75] + [1500.0] * (bots - 3)
    return summarized([f"bot_of_quite_some_length_{number}" for number in range(bots)], results, elos)


def summarized(names: list[str], results: list[Result], elos: list[float]) -> Summary:
    tournament = record(names)
    return summarize(tournament, results, standings(elos), whole_history_of(tournament, results))


def printed(*tables: object, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    for table in tables:
        console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_figure_is_cut_at_any_width(width: int) -> None:
    one = summary()
    tables = [*standings_tables(one.rows, "money", width), *chance_tables(one, width), faults_table(one.rows)]
    text = printed(*tables, running_table(one.rows, "money"), width=width)
    headers = "rating interval ranks Elo matches money decisions ms max faults timeout illegal refused retired"
    figures = one.rows[0].figures
    assert figures is not None
    assert figures.interval is not None
    for words in [*headers.split(), "1523", "34.0", whole(figures.rating), span_text(*figures.interval)]:
        assert words in text
    assert "…" not in re.sub(r"bot_\w+…", "", text), "only names may be cut"
    assert all(len(line) <= width for line in text.splitlines())


def test_head_to_head_is_split_where_it_would_not_fit() -> None:
    few, many = head_to_head_tables(summary(4), 80), head_to_head_tables(summary(30), 80)
    assert (len(few), len(many)) == (1, 3)
    text = printed(*many, width=80)
    assert "…" not in re.sub(r"bot_\w+…", "", text)
    assert [header for header in (" 1 ", " 9 ", " 30") if header not in text] == []


def test_without_faults_there_is_no_table_of_them() -> None:
    clean = summarized(["a", "b", "c"], [result(0, [seat(0, 1), seat(1, 2), seat(2, 3)])], [0.0] * 3)
    assert faults_table(clean.rows) is None


def test_json_has_every_figure_exactly() -> None:
    told = json.loads(json.dumps(as_json(summary(), "money")))
    first, second = told["standings"][:2]
    rating, interval, ranks = (first.pop(key) for key in ("rating", "interval", "rank_interval"))
    assert interval[0] < rating < interval[1]
    assert ranks[0] == 1
    assert first == {
        "rank": 1,
        "bot": "bot_of_quite_some_length_0",
        "version": "1",
        "matches": 3,
        "blocks": 2,
        "elo": 1523.25,
        "money": 34.0,
        "decisions": 30,
        "mean_ms": 2.0,
        "slowest_ms": 5,
        "faults": {},
        "refusals": 0,
        "retired": 0,
        "first_fault": "",
    }
    assert second["faults"] == {"illegal": 2, "timeout": 3}
    assert (second["refusals"], second["retired"]) == (6, 1)
    assert second["first_fault"] == "decision 7: timeout: no answer"
    assert len(told["head_to_head"]) == 6
    assert (told["head_to_head"][0]["wins"], told["head_to_head"][0]["losses"]) == (2, 1)
    one, other = told["beats"][0], told["beats"][2]
    assert (one["bot"], one["opponent"]) == (other["opponent"], other["bot"]) == (first["bot"], second["bot"])
    assert one["low"] < one["p"] < one["high"]
    assert one["p"] + other["p"] == pytest.approx(1)
    assert (told["blocks"], told["variance_ratio"], told["company_variance_ratio"]) == (0, None, None)


def test_a_bot_that_has_not_played_has_no_rating() -> None:
    idle = summary()
    told = as_json(idle, "money")["standings"][-1]
    assert [told[key] for key in ("bot", "rating", "interval", "rank_interval", "blocks")] == [
        "bot_of_quite_some_length_3", None, None, None, 0,
    ]  # fmt: skip
    assert all(3 not in pair for pair in idle.beats)
    last = printed(*standings_tables(idle.rows, "money", 140), width=140).splitlines()[-1]
    assert last.split()[3:7] == [NONE] * 3 + ["0"]


def test_one_sided_intervals_show_the_side_that_is_known() -> None:
    results = [result(number, [seat(0, 1), seat(1, 2), seat(2, 3)], block=number) for number in range(3)]
    rows = summarized(["a", "b", "c"], results, [0.0] * 3).rows
    assert [(row.never_lost, row.never_won) for row in rows] == [(True, False), (False, False), (False, True)]
    first, second, third = printed(*standings_tables(rows, "money", 140), width=140).splitlines()[2:]
    assert "≥ " in first
    assert "–" in second.split()[4]
    assert "≤ " in third
    assert interval_text((880.6, 1200.2), never_won=False, never_lost=False) == "881–1200"
    assert interval_text((-880.6, 1200.2), never_won=False, never_lost=False) == "−881 to 1200"
    assert interval_text((-880.6, -20.2), never_won=False, never_lost=False) == "−881 to −20"
    assert interval_text((-0.3, 20), never_won=False, never_lost=False) == "0–20"
    assert interval_text((-900, -0.2), never_won=False, never_lost=False) == "−900 to 0"
    assert interval_text((-900, -20), never_won=True, never_lost=False) == "≤ −20"
    assert interval_text((-900, -20), never_won=False, never_lost=True) == "≥ −900"
    assert interval_text((880.6, 1200.2), never_won=True, never_lost=False) == "≤ 1200"
    assert interval_text(None, never_won=True, never_lost=False) == NONE


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (Chance(0.69, 0.629, 0.75), " 69 ≥62"),
        (Chance(0.9951, 0.981, 1.0), ">99 ≥98"),
        (Chance(0.0049, 0.0001, 0.02), " <1    "),
        (Chance(0.5, 0.02, 1.0), " 50 ≥2 "),
        (Chance(0.5, 0.0, 1.0), " 50    "),
    ],
)
def test_chances_promise_no_more_than_they_are(chance: Chance, text: str) -> None:
    assert chance_text(chance) == text


def test_versions_are_named_where_a_bot_has_several() -> None:
    entrants = [
        Entrant(number, bot, version, "00") for number, bot, version in ((0, "a", "1"), (1, "b", "1"), (2, "b", "2"))
    ]
    assert labels(entrants) == {0: "a", 1: "b 1", 2: "b 2"}
