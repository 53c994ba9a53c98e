"""The tables of a tournament, from results written by hand."""

from statistics import fmean

import pytest
from gavelport_engine.rng import Stream
from gavelport_server.archive.fit import whole_history_of
from gavelport_server.conduct.summary import Summary, summarize, variance_ratio
from gavelport_server.storage.store import Result

from tests.tournament.build import record, result, seat, standings


def summarized(bots: list[str], results: list[Result], elos: list[float]) -> Summary:
    tournament = record(bots)
    return summarize(tournament, results, standings(elos), whole_history_of(tournament, results))


def test_rows_add_up_and_stand_by_rating() -> None:
    results = [
        result(0, [seat(0, 1, 90), seat(1, 3, 10, faults=(("timeout", 2),), first_fault="first"), seat(2, 2, 50)]),
        result(
            1,
            [
                seat(1, 1, 70, faults=(("illegal", 1), ("timeout", 1)), refusals=4, retired=True, first_fault="second"),
                seat(2, 1, 70, decisions=30, charged_ms=100, slowest_ms=44),
                seat(0, 3, -20),
            ],
        ),
    ]
    summary = summarized(["a", "b", "c"], results, [1500.0, 1480.5, 1520.0])
    assert [row.entrant.bot for row in summary.rows] == ["c", "a", "b"]
    c, a, b = summary.rows
    assert (a.matches, a.mean_total, a.decisions, a.mean_ms, a.slowest_ms) == (2, 35.0, 20, 2.0, 5)
    assert (b.faults, b.refusals, b.retired, b.first_fault) == ({"timeout": 3, "illegal": 1}, 4, 1, "first")
    assert (c.decisions, c.charged_ms, c.mean_ms, c.slowest_ms) == (40, 120, 3.0, 44)


def test_a_bot_that_has_not_played_has_no_means() -> None:
    row = summarized(["a", "b", "c"], [], [1500.0] * 3).rows[0]
    assert (row.matches, row.mean_total, row.mean_ms) == (0, None, None)


def test_bots_that_have_not_played_stand_by_elo_then_by_entrant_number() -> None:
    summary = summarized(["b", "a", "c"], [], [1500.0] * 3)
    assert [row.entrant.bot for row in summary.rows] == ["b", "a", "c"]


def test_head_to_head_counts_every_pair_both_ways() -> None:
    results = [
        result(0, [seat(0, 1), seat(1, 2), seat(2, 2)]),
        result(1, [seat(2, 1), seat(0, 2), seat(1, 3)]),
    ]
    met = summarized(["a", "b", "c"], results, [0.0] * 3).head_to_head
    assert {pair: (one.wins, one.ties, one.losses) for pair, one in met.items()} == {
        (0, 1): (2, 0, 0),
        (1, 0): (0, 0, 2),
        (0, 2): (1, 0, 1),
        (2, 0): (1, 0, 1),
        (1, 2): (0, 1, 1),
        (2, 1): (1, 1, 0),
    }
    assert met[1, 2].share == 0.25


def block(number: int, totals: list[list[int]]) -> list[Result]:
    """A block from each bot's totals, by rotation."""
    seats = len(totals)
    return [
        result(
            number * seats + rotation,
            [seat(entrant, 1, totals[entrant][rotation]) for entrant in range(seats)],
            block=number,
            rotation=rotation,
        )
        for rotation in range(seats)
    ]


def test_variance_ratio_by_hand() -> None:
    # Bot 0 has 1, 3 | 5, 7 (mean 4): squares 9+1+1+9 = 20; block means 2, 6: 4+4 = 8 over 1.
    # Bot 1 has 0, 0 | 0, 4 (mean 1): squares 1+1+1+9 = 12; block means 0, 2: 1+1 = 2 over 1.
    # Block means have variance v = (8 + 2) / 2, single results (20 + 12) / 8 and the mean's own variance, v / 2.
    blocks = [block(0, [[1, 3], [0, 0]]), block(1, [[5, 7], [0, 4]])]
    assert variance_ratio(blocks) == pytest.approx(((20 + 12) / 8 + 5 / 2) / 2 / 5)


def test_variance_ratio_tells_luck_that_cancels_from_luck_that_does_not() -> None:
    rng = Stream(b"\0" * 32, "test")

    def roll() -> list[list[int]]:
        return [[rng.below(101) for _ in range(4)] for _ in range(4)]

    independent = [block(number, roll()) for number in range(400)]
    ratio = variance_ratio(independent)
    assert ratio is not None
    assert 0.85 < ratio < 1.15, "independent matches in a block are worth themselves"

    def level(totals: list[list[int]]) -> list[list[int]]:
        """Take most of each bot's mean away, as if seat and cards cancelled."""
        return [[total - round(0.9 * fmean(row)) for total in row] for row in totals]

    cancelling = variance_ratio([block(number, level(roll())) for number in range(400)])
    assert cancelling is not None
    assert cancelling > 10


def test_what_the_company_does_counts_between_all_blocks_and_not_between_those_of_one_company() -> None:
    rng = Stream(b"\1" * 32, "test")

    def of_company(number: int) -> list[Result]:
        """A block of three of four bots, independent but for 200 more to each where bot 3 sits out."""
        out = number % 4
        return [
            result(
                number * 3 + rotation,
                [seat(one, 1, rng.below(101) + 200 * (out == 3)) for one in range(4) if one != out],
                block=number,
                rotation=rotation,
            )
            for rotation in range(3)
        ]

    blocks = [of_company(number) for number in range(800)]
    all_blocks, alike = variance_ratio(blocks), variance_ratio(blocks, same_company=True)
    assert all_blocks is not None
    assert alike is not None
    assert all_blocks < 0.5
    assert 0.9 < alike < 1.1


def test_few_blocks_alike_measure_without_bias() -> None:
    rng = Stream(b"\2" * 32, "test")
    blocks = [
        [result(rotation, [seat(3 * field + one, 1, rng.below(101)) for one in range(3)]) for rotation in range(3)]
        for field in range(400)
        for _ in range(2)
    ]
    ratio = variance_ratio(blocks)
    assert ratio is not None
    assert 0.95 < ratio < 1.05


def test_variance_ratio_needs_two_complete_blocks() -> None:
    whole = block(0, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    cut = block(1, [[1, 2, 3], [4, 5, 6], [7, 8, 9]])[:2]
    summary = summarized(["a", "b", "c"], whole + cut, [0.0] * 3)
    assert (summary.blocks, summary.variance_ratio) == (1, None)
