"""A competition's results folded, one by one, into what pages show of each of its bots.

A fold goes on from where it stands, so that a ladder of a hundred thousand matches is read once, and then only what has
come since. It keeps numbers and no results: 12 bytes a seat, and 24 a pair of bots.
"""

from __future__ import annotations

import time
from array import array
from bisect import bisect_right
from collections import Counter
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gavelport_server.conduct.summary import Meetings, Row
from gavelport_server.ratings.elo import START, LadderTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.pages.source import Source
    from gavelport_server.storage.store import Entrant, Result, TournamentRecord

AT_ONCE = 5_000
"""So many results are in memory."""


def _numbers() -> array[int]:
    return array("I")


@dataclass(slots=True)
class Course:
    """How one bot has done; on a ladder in all its versions. Not changed once a page has seen it."""

    row: Row
    places: list[list[int]]
    """By seat how often it came first, second, …"""
    last: str = ""
    """When its last match finished; empty before the first."""
    at: array[int] = field(default_factory=_numbers)
    """Of each of its matches the place among all, from 1."""
    elo: array[float] = field(default_factory=lambda: array("d"))
    """Its Elo after each of these."""
    _met: list[array[int]] = field(default_factory=lambda: [_numbers(), _numbers(), _numbers()])
    """Wins, ties and losses, each by the other's number as far as the highest one met."""

    def met(self, other: int) -> Meetings | None:
        """Return how it did against another one, given by number; None where they never met."""
        if other >= len(self._met[0]):
            return None
        found = Meetings(*(counts[other] for counts in self._met))
        return found if found.matches else None

    def elo_at(self, place: int) -> float:
        """Return its Elo once so many matches of all were counted."""
        before = bisect_right(self.at, place)
        return self.elo[before - 1] if before else START

    def copied(self) -> Course:
        """Return a copy that shares nothing that changes."""
        return Course(
            row=replace(self.row, faults=self.row.faults.copy()),
            places=[counts.copy() for counts in self.places],
            last=self.last,
            at=self.at[:],
            elo=self.elo[:],
            _met=[counts[:] for counts in self._met],
        )

    def count(self, result: Result, seat: int, others: Sequence[int]) -> None:
        """Count a match in which it had this seat; by seat, `others` says who they are."""
        own = result.seats[seat]
        self.row.count(own, result.seats)
        self.places[seat][own.rank - 1] += 1
        self.last = max(self.last, result.finished_at)
        wins, ties, losses = self._met
        if (more := max(others) + 1 - len(wins)) > 0:
            for counts in self._met:
                counts.extend([0] * more)
        for one, number in zip(result.seats, others, strict=True):
            if one is not own:
                (wins if own.rank < one.rank else losses if own.rank > one.rank else ties)[number] += 1


class Fold:
    """The results of one competition, up to one of them. A ladder's entrants are its bots here."""

    def __init__(self, record: TournamentRecord) -> None:
        """Begin before the first result."""
        self.following = 0
        """The number after the last result that was counted, or left out."""
        self.latest_id = ""
        """That result's match id."""
        self.voided: list[int] = []
        """The numbers of those that were left out."""
        self.matches = 0
        self.finished_at = ""
        """When the last match finished that counts."""
        self.day_from = 0
        """The place of the last match before the day of the latest one."""
        self.played: Counter[int] = Counter()
        """By block, of a tournament."""
        self.faults: Counter[int] = Counter()
        """By the store's number of an entrant, which on a ladder is a version of a bot."""
        self._day = ""
        self._seats = record.seats
        self._kind = record.kind
        self._entrants: tuple[Entrant, ...] = ()
        self._courses: list[Course] = []
        self._unseen: set[int] = set()
        """Whose courses are not handed out, so that they may be changed."""
        self._numbers: dict[str, int] = {}
        """By what has an Elo of its own: the bot on a ladder, else the entrant."""
        self._number_of: list[int] = []
        """By the store's number of an entrant, that of its bot here."""
        self._latest: list[int] = []
        """By bot, the store's number of its latest version."""
        self._table = LadderTable()
        self.enter(record.entrants)

    @property
    def latest(self) -> Sequence[int]:
        """Return by bot the store's number of the entrant that is its latest version."""
        return self._latest

    def enter(self, entrants: Sequence[Entrant]) -> bool:
        """Take all entrants; return False, changing nothing, where those that are known already do not come first."""
        known = len(self._entrants)
        if tuple(entrants[:known]) != self._entrants:
            return False
        self._entrants = tuple(entrants)
        for one in entrants[known:]:
            name = one.bot if self._kind == "ladder" else str(one.number)
            number = self._numbers.setdefault(name, len(self._courses))
            if number == len(self._courses):
                self._unseen.add(number)
                self._latest.append(one.number)
                self._courses.append(Course(Row(one, START), [[0] * self._seats for _ in range(self._seats)]))
            self._latest[number] = one.number
            self._changing(number).row.entrant = replace(one, number=number)
            self._number_of.append(number)
            self._table.add(name)
        return True

    def knows(self, result: Result) -> bool:
        """Return whether all that sat there have entered."""
        return all(seat.entrant < len(self._number_of) for seat in result.seats)

    def count(self, result: Result) -> None:
        """Count the next result; one that counts no more is left out."""
        self.following, self.latest_id = result.number + 1, result.match_id
        if result.void_reason:
            self.voided.append(result.number)
            return
        self.matches += 1
        self.finished_at = result.finished_at
        place = result.number + 1 if self._kind == "ladder" else self.matches
        if result.finished_at[:10] > self._day:
            self._day, self.day_from = result.finished_at[:10], place - 1
        if self._kind == "tournament":
            self.played[result.block] += 1
        seated = [seat.entrant for seat in result.seats]
        numbers = [self._number_of[entrant] for entrant in seated]
        courses = [self._changing(number) for number in numbers]
        for seat, course in enumerate(courses):
            course.count(result, seat, numbers)
            self.faults[seated[seat]] += sum(times for _, times in result.seats[seat].faults)
        if len(set(numbers)) == len(numbers):
            changes = self._table.count(seated, [seat.rank for seat in result.seats])
            for course, change in zip(courses, changes, strict=True):
                course.at.append(place)
                course.elo.append(change.after)

    def by_bot(self, result: Result) -> Result:
        """Return a result with the numbers of this fold for its entrants."""
        return replace(
            result, seats=tuple(replace(seat, entrant=self._number_of[seat.entrant]) for seat in result.seats)
        )

    def courses(self) -> tuple[Course, ...]:
        """Return the courses by number, as they stay however the fold goes on."""
        self._unseen.clear()
        return tuple(self._courses)

    def rows(self, elo: Sequence[float]) -> list[Row]:
        """Return rows under the given Elo, by the bots' numbers; whoever asks may change them."""
        rows = [copy(course.row) for course in self._courses]
        for row, own in zip(rows, elo, strict=True):
            row.elo = own
        return rows

    def _changing(self, number: int) -> Course:
        if number not in self._unseen:
            self._courses[number] = self._courses[number].copied()
            self._unseen.add(number)
        return self._courses[number]


def read_on(source: Source, record: TournamentRecord, fold: Fold | None, seconds: float) -> tuple[Fold, bool]:
    """Return the fold of what grows, read further for so long, and whether it has all that was there.

    It begins anew where what was read does not stand any more: one of the results counts no more, or the database is
    another one. Results of bots that entered after the record was read come with a later record.
    """
    until = time.monotonic() + seconds
    voided = source.voided(record.identity)
    if fold is None or fold.voided != [number for number in voided if number < fold.following]:
        fold = Fold(record)
    if not fold.enter(record.entrants):
        fold = Fold(record)
    while True:
        # From the last one that is known, which has to be there still.
        known = min(fold.following, 1)
        found = source.results(record.identity, first=fold.following - known, limit=AT_ONCE + known)
        if known and (not found or found[0].match_id != fold.latest_id):
            fold = Fold(record)
            continue
        for result in found[known:]:
            if not fold.knows(result):
                return fold, True
            fold.count(result)
        if len(found) < AT_ONCE + known:
            return fold, True
        if time.monotonic() > until:
            return fold, False
