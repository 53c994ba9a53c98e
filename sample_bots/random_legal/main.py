"""Plays any legal action: the smallest bot there is, and the one that every other bot should beat.

All randomness comes from `self.rng`, which the SDK seeds from the match and the seat: the same match is played in the
same way again.
"""

from gavelport_engine.container.actions import Action
from gavelport_engine.container.table import Observation
from gavelport_sdk import Bot, run


class RandomLegal(Bot):
    games = ("container",)

    def decide(self, observation: Observation) -> Action:
        action: Action = self.decision.space.sample(self.rng)
        return action


if __name__ == "__main__":
    run(RandomLegal)
