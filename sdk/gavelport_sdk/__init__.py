"""What a bot author installs: write a class, `run` it.

    from gavelport_sdk import Bot, run

    class MyBot(Bot):
        games = ("container",)

        def decide(self, observation):
            return self.decision.space.sample(self.rng)

    if __name__ == "__main__":
        run(MyBot)

Importing this is quick on purpose: gRPC and protobuf are loaded by `run` only.
"""

from gavelport_sdk.bot import Bot, Clock, DecisionInfo, MatchInfo, MatchOver, Refusal, SeatInfo
from gavelport_sdk.entry import run

__all__ = ["Bot", "Clock", "DecisionInfo", "MatchInfo", "MatchOver", "Refusal", "SeatInfo", "run"]
