"""Simulated tournaments whose true ratings are known, dealt and paired as real ones are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gavelport_server.pairing.round_robin import RoundRobin
from gavelport_server.pairing.schedule import Schedule
from gavelport_server.ratings.history import history_ratings
from gavelport_server.ratings.results import Floats, Results


@dataclass(frozen=True)
class World:
    """How matches come out: strengths, what a deal does to them, and the luck of one match.

    A seat's showing is its bot's strength, plus what the deal gives to the seat, plus how this bot likes this deal (the
    same in every match of a block, which is why blocks are the unit), plus the luck of the match. Showings are rounded
    up to steps, so that some tie.
    """

    strengths: tuple[float, ...]
    seats: int
    seat_luck: float = 0.7
    liking: float = 0.6
    step: float = 0.15

    def play(self, rounds: int, rng: np.random.Generator) -> Results:
        """Return the results of a tournament; its blocks are deals, the table within the block told apart."""
        entrants = len(self.strengths)
        pairings = Schedule(RoundRobin(entrants, self.seats), entrants, self.seats, rounds).pairings
        seated = np.array([pairing.entrants for pairing in pairings])
        deals = np.array([pairing.deal for pairing in pairings])
        count = int(deals.max()) + 1
        showing = np.array(self.strengths)[seated]
        showing += rng.normal(0, self.seat_luck, (count, self.seats))[deals]
        showing += rng.normal(0, self.liking, (count, len(self.strengths)))[deals[:, None], seated]
        showing += rng.gumbel(size=seated.shape)
        showing = np.ceil(showing / self.step)
        ranks = 1 + (showing[:, :, None] < showing[:, None, :]).sum(axis=2)
        return Results(len(self.strengths), seated, ranks, deals)

    def true_ratings(self, rounds: int = 200_000) -> Floats:
        """Return what the fit's ratings tend to as rounds grow without end."""
        return history_ratings(self.play(rounds, np.random.default_rng(20)))
