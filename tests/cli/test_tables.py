"""The tables as they come out on terminals of several widths, and as JSON."""

import io
import json
import re

import pytest
from gavelport_server.cli.tables import as_json, faults_table, head_to_head_tables, standings_table
from gavelport_server.conduct.summary import Summary, summarize
from rich.console import Console

from tests.tournament.build import record, result, seat, standings


def summary(bots: int = 4) -> Summary:
    names = [f"bot_of_quite_some_length_{number}" for number in range(bots)]
    faults = (("illegal", 2), ("timeout", 3))
    slip = seat(1, 2, -12, retired=True, faults=faults, first_fault="decision 7: timeout: no answer", refusals=6)
    results = [
        result(0, [seat(0, 1, 61), slip, seat(2, 3, 5)]),
        result(1, [seat(1, 1, 33), seat(0, 2, 20), seat(2, 2, 20)], rotation=1),
    ]
    elos = [1523.25, 1488.0, 1476.75] + [1500.0] * (bots - 3)
    return summarize(record(names), results, standings(elos))


def printed(*tables: object, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    for table in tables:
        console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_figure_is_cut_at_any_width(width: int) -> None:
    one = summary()
    text = printed(standings_table(one.rows, "money"), faults_table(one.rows), width=width)
    headers = "Elo matches money decisions ms max faults timeout illegal disconnected refused retired"
    for words in [*headers.split(), "1523", "40.5"]:
        assert words in text
    assert "…" not in re.sub(r"bot_\w+…", "", text), "only names may be cut"
    assert all(len(line) <= width for line in text.splitlines())


def test_head_to_head_is_split_where_it_would_not_fit() -> None:
    few, many = head_to_head_tables(summary(4), 80), head_to_head_tables(summary(30), 80)
    assert (len(few), len(many)) == (1, 4)
    text = printed(*many, width=80)
    assert "…" not in re.sub(r"bot_\w+…", "", text)
    assert [header for header in (" 1 ", " 9 ", " 30") if header not in text] == []


def test_without_faults_there_is_no_table_of_them() -> None:
    clean = summarize(record(["a", "b", "c"]), [result(0, [seat(0, 1), seat(1, 2), seat(2, 3)])], standings([0.0] * 3))
    assert faults_table(clean.rows) is None


def test_json_has_every_figure_exactly() -> None:
    told = json.loads(json.dumps(as_json(summary(), "money")))
    first, second = told["standings"][0], told["standings"][2]
    assert first == {
        "rank": 1,
        "bot": "bot_of_quite_some_length_0",
        "version": "1",
        "matches": 2,
        "elo": 1523.25,
        "money": 40.5,
        "decisions": 20,
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
    assert told["head_to_head"][0]["wins"] == told["head_to_head"][0]["losses"] == 1
    assert (told["blocks"], told["variance_ratio"]) == (0, None)
