"""Plays any legal action: the smallest bot there is, and the one that every other bot should beat.

It plays every game, for it never looks at what it sees. All randomness comes from `self.rng`, which the SDK seeds from
the match and the seat: the same match is played in the same way again.
"""

from gavelport_sdk import Bot, run


class RandomLegal(Bot):
    games = ("container", "shipping")

    def decide(self, observation: object) -> object:
        action: object = self.decision.space.sample(self.rng)
        return action


if __name__ == "__main__":
    run(RandomLegal)
