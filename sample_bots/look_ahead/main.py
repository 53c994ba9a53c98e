"""Looks ahead: tries each promising action in positions that may be the true one, and plays on a little.

* The rivals' cash is known from the public payments, their cards are guessed from their bids: `worlds.py`.
* Each candidate (`choices.py`) gets a plan: what would best be done with the turn's other action.
* In each of a few worlds every candidate is played with its plan, by the engine, and then everybody plays on by quick
  rules (`policy.py`) for a turn. What is reached is valued by what it promises (`outlook.py`).
* All candidates meet the same worlds, so that luck does not decide between them; the better ones meet more.

How much is looked at is counted in worlds, never in time, and worlds are drawn from `self.rng`: the same match is
played the same way on any machine.
"""

from collections.abc import Sequence

from choices import choices
from gavelport_engine.container.actions import Action
from gavelport_engine.container.events import Event
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.container.table import CARD_NAMES, Observation
from gavelport_sdk import Bot, run
from gavelport_sdk.bot import DecisionInfo, MatchInfo
from outlook import lead
from policy import quick
from worlds import World, Worlds

STAGES = ((4, 6), (4, 3), (6, 1))  # so many more worlds each, after which so many candidates are left
TURNS = 2  # that are looked at, the present one included


class LookAhead(Bot):
    games = ("container",)
    decision: DecisionInfo[Action]

    def start(self, match: MatchInfo) -> None:
        self.seat: int = match.seat
        self.worlds = Worlds(match.seat, match.options.seats, CARD_NAMES.index(match.deal["card"]))

    def events(self, events: Sequence[Event]) -> None:
        self.worlds.see(events)

    def decide(self, observation: Observation) -> Action:
        self.worlds.look(observation.table)
        candidates = choices(observation.table, self.seat, observation.cash or 0, observation.card or 0)
        if not candidates:
            return self.decision.default()
        if len(candidates) == 1:
            return candidates[0]
        plans = self.plans(self.worlds.drawn(observation, self.rng), candidates)
        gains = dict.fromkeys(candidates, 0.0)
        for worlds, survivors in STAGES:
            for _ in range(worlds):
                world = self.worlds.drawn(observation, self.rng)
                for action in candidates:
                    gains[action] += self.tried(world, [action, *plans[action]])
            candidates = sorted(candidates, key=lambda action: -gains[action])[:survivors]
        return candidates[0]

    def plans(self, world: World, candidates: list[Action]) -> dict[Action, list[Action]]:
        """Return, for each candidate, what is best done with the turn's other action, as it looks in one world."""
        plans: dict[Action, list[Action]] = {}
        for first in candidates:
            state = CONTAINER.copy(world.state)
            plans[first] = []
            if state.table.phase != "action":
                continue
            turn = state.table.turn
            CONTAINER.apply_in_place(state, {self.seat: first}, None)
            if state.table.phase == "action" and state.table.turn == turn:
                nexts = choices(state.table, self.seat, state.cash[self.seat], state.cards[self.seat])
                plans[first] = [max(nexts, key=lambda second: self.tried(World(state, world.shares), [second], 1))]
        return plans

    def tried(self, world: World, own: list[Action], turns: int = TURNS) -> float:
        """Return the lead after one's own actions and quick play to the end of so many turns."""
        state = CONTAINER.copy(world.state)
        table = state.table
        until = table.turn + turns
        own = own.copy()
        while table.turn < until and (seats := CONTAINER.to_act(state)):
            for seat in seats:
                action = own.pop(0) if own and seat == self.seat else quick(state, seat, world.shares[seat])
                CONTAINER.apply_in_place(state, {seat: action}, None)
        return lead(state, self.seat)


if __name__ == "__main__":
    run(LookAhead)
