"""Looks ahead: tries each investment on guessed positions, plays some turns on with the engine, and keeps the best.

Its crew (`crew.py`) does the daily work. Once a turn before the ships move and once after, it asks what to invest in: a
ship, a factory, an Order, or nothing. For each choice the same guesses at the hidden cards (`guess.py`) are played on
by the crew, the others buying what lies before their ships, and the position reached is appraised. Effort is counted in
steps of the engine, never in time: the same match is played in the same way everywhere.
"""

from collections.abc import Iterator

from crew import capital, spare, turns_left, work
from gavelport_engine.shipping.actions import (
    Action,
    Build,
    Buy,
    BuyOrder,
    BuyShip,
    DrawOrder,
    EndTurn,
    Sell,
)
from gavelport_engine.shipping.data import COSTS, PRICES, QUARTERS, REGIONS
from gavelport_engine.shipping.legal import buyers
from gavelport_engine.shipping.observe import copy_state
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_engine.shipping.space import Space
from gavelport_engine.shipping.table import Observation, State, Table
from gavelport_sdk import Bot, run
from gavelport_sdk.bot import MatchInfo
from guess import guessed_state

STEPS = 1000  # of the engine in one search; every choice is tried on one guess at least
HORIZON = 4  # own turns

LEAST_GAIN = 20  # $M by which an investment must beat none
SHIP_INCOME = (30, 30, 30, 35, 35)  # $M a turn after the horizon, by ship, upkeep included
FACTORY_INCOME = 150  # $M a container that can yet be produced, what the Production Track gives with it included
STOCK_VALUE = 100  # $M a point: what a share costs


class LookAhead(Bot):
    games = ("shipping",)

    def start(self, match: MatchInfo) -> None:
        self.seat = match.seat
        self.searched: set[tuple[int, bool]] = set()

    def decide(self, observation: Observation) -> Action:
        if observation.table.phase == "raise":  # only without elimination, and not with the reserve
            mild: Action = self.decision.default()
            return mild
        state = guessed_state(observation, self.rng)
        routine = next(work(state, self.seat))
        if isinstance(routine, Sell):
            return routine
        at_the_end = isinstance(routine, EndTurn)
        if (state.table.turn, at_the_end) in self.searched:
            return routine
        choice = self.search(observation, state)
        if choice is None:
            self.searched.add((state.table.turn, at_the_end))
        return choice or routine

    # -- the search

    def search(self, observation: Observation, state: State) -> Action | None:
        """Return the investment that beats none by most over as many guesses as the steps allow, or None."""
        space = Space(state.table, self.seat, state.hands[self.seat])
        choices = [None, *filter(space.contains, self.investments(state))]
        if len(choices) == 1:
            return None
        gains = [0.0] * len(choices)
        guesses = steps = 0
        while steps * (guesses + 1) <= STEPS * guesses or not guesses:
            for place, choice in enumerate(choices):
                reached = copy_state(state)
                steps += self.play_on(reached, choice)
                gains[place] += self.appraisal(reached.table)
            guesses += 1
            state = guessed_state(observation, self.rng)
        gain, place = max((gain, -place) for place, gain in enumerate(gains))
        return choices[-place] if gain - gains[0] > LEAST_GAIN * guesses else None

    def investments(self, state: State) -> Iterator[Action]:
        """Yield what could be invested in without taking the money for the next loads or for the accounts."""
        table, hand = state.table, state.hands[self.seat]
        board = table.boards[self.seat]
        money = spare(table, board, hand)
        for kind in ("small", "large"):
            if money - COSTS[f"{kind}_ship"] >= capital(board):
                yield BuyShip(kind)
        money -= capital(board) // 4
        if money >= COSTS["factory"]:
            yield from (Build(region) for region in range(len(REGIONS)))
        if money >= COSTS["face_up_order"]:
            yield from (BuyOrder(slot) for slot in range(len(table.open_orders)))
        if money >= COSTS["hidden_order"]:
            yield DrawOrder()

    def play_on(self, state: State, choice: Action | None) -> int:
        """Invest and play on for some own turns or to the end; return the number of steps."""
        table = state.table
        last, steps = table.turn + HORIZON * len(table.boards), 0
        if choice is not None:
            SHIPPING.apply_in_place(state, {self.seat: choice}, None)
        while table.turn < last and table.phase == "turn":
            seat = table.seat
            for action in work(state, seat) if seat == self.seat else others(state, seat):
                SHIPPING.apply_in_place(state, {seat: action}, None)
                steps += 1
        return steps

    def appraisal(self, table: Table) -> float:
        """Return what a position is worth to the seat, $M; what it owns counts for the turns that are left."""
        board = table.boards[self.seat]
        if board.bankrupt is not None:
            return 0
        if table.phase != "turn":
            return STOCK_VALUE * board.stock + board.cash / 2
        turns = turns_left(table) - 1
        worth = float(STOCK_VALUE * board.stock + board.cash)
        for number, ship in enumerate(board.ships):
            if ship is not None:
                worth += SHIP_INCOME[number] * turns + sum(PRICES[good][1] for good in ship.cargo)
        crops = sum(board.built) * (turns // QUARTERS + 1) - sum(board.marked)
        return worth + FACTORY_INCOME * min(crops, 2 * turns)


def others(state: State, seat: int) -> Iterator[Action]:
    """Yield another seat's turn as it is foreseen: it buys what lies before its ships."""
    for number, most in buyers(Space(state.table, seat, state.hands[seat]))[:1]:
        yield Buy(number, most)
    yield EndTurn()


if __name__ == "__main__":
    run(LookAhead)
