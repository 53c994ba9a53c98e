"""Ratings of a tournament do not depend on how its bots are called, who sat where, or which match came first."""

from dataclasses import replace

import pytest
from gavelport_engine.rng import Stream
from gavelport_server.archive.fit import fingerprint, whole_history_of
from gavelport_server.pairing.round_robin import RoundRobin
from gavelport_server.pairing.schedule import Schedule
from gavelport_server.ratings.standing import Fit
from gavelport_server.storage.store import Result

from tests.tournament.build import record, result, seat

BOTS = ["ann", "bob", "cyn", "dan", "eve", "fay"]
SEATS = 3


def tournament(names: list[str]) -> tuple[list[Result], Fit]:
    """A tournament in which a bot plays as its name says; entrants are numbered by name, and so seated elsewhere."""
    entrants = sorted(names)
    results = []
    for pairing in Schedule(RoundRobin(len(names), SEATS), len(names), SEATS, 24).pairings:
        showing = [
            10 * names.index(entrants[one]) + luck(pairing.number, names.index(entrants[one]))
            for one in pairing.entrants
        ]
        seats = [
            seat(one, 1 + sum(other > own for other in showing))
            for one, own in zip(pairing.entrants, showing, strict=True)
        ]
        results.append(
            result(pairing.number, seats, block=pairing.block, rotation=pairing.rotation, table=pairing.table)
        )
    return results, whole_history_of(record(entrants, SEATS), results)


def luck(match: int, bot: int) -> int:
    return Stream(b"%032d" % match, f"bot {bot}").below(40)


def same(one: Fit, other: Fit, order: list[int]) -> bool:
    """Whether two fits have the same figures, those of entrant i of the first being those of order[i] of the other."""

    def flat(fit: Fit, order: list[int]) -> list[float]:
        figures = [fit.entrants[i] for i in order]
        ratings = [x for each in figures for x in (each.rating, *(each.interval or ()))]
        ranks = [float(x) for each in figures for x in (each.rank, *each.rank_interval, each.matches, each.blocks)]
        chances = [
            x for i in order for j in order for x in (fit.beats[i][j].p, fit.beats[i][j].low, fit.beats[i][j].high)
        ]
        return ratings + ranks + chances

    return flat(one, list(range(len(order)))) == pytest.approx(flat(other, order), abs=1e-5)


def renumbered(results: list[Result], order: list[int]) -> list[Result]:
    """The same matches between bots of other names, so numbered in another way."""
    return [
        replace(one, seats=tuple(replace(each, entrant=order[each.entrant]) for each in one.seats)) for one in results
    ]


def test_names_change_no_rating_but_by_rounding() -> None:
    results, fit = tournament(BOTS)
    for order in ([5, 4, 3, 2, 1, 0], [1, 2, 3, 4, 5, 0], [3, 0, 5, 1, 4, 2]):
        renamed = whole_history_of(record(BOTS, SEATS), renumbered(results, order))
        assert same(fit, renamed, order)
        assert not same(fit, renamed, list(range(6))), "the order does something"


def test_neither_seats_nor_the_order_of_matches_nor_the_numbers_of_blocks_change_a_rating_but_by_rounding() -> None:
    results, fit = tournament(BOTS)
    unchanged = list(range(len(BOTS)))
    turned = [replace(one, seats=one.seats[1:] + one.seats[:1]) for one in results]
    for other in (
        turned,
        results[::-1],
        [replace(one, block=100 - one.block, table=1 - one.table) for one in results],
    ):
        assert same(fit, whole_history_of(record(BOTS, SEATS), other), unchanged)
    unblocked = [replace(one, block=one.number) for one in results]
    assert not same(fit, whole_history_of(record(BOTS, SEATS), unblocked), unchanged), "blocks do count"


def test_the_same_results_have_the_same_fingerprint_and_others_another() -> None:
    results, fit = tournament(BOTS)
    assert fingerprint(fit) == fingerprint(whole_history_of(record(BOTS, SEATS), results))
    assert fingerprint(fit) != fingerprint(whole_history_of(record(BOTS, SEATS), results[:-1]))
