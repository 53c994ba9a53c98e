"""A bot that plays the actions of `script.json` beside it one after another, the game's default for each null."""

import json
from pathlib import Path
from typing import Any

from gavelport_engine.registry import GAMES
from gavelport_sdk import Bot, run


class Control(Bot):
    games = ("container",)

    def start(self, match: Any) -> None:
        self.script = iter(json.loads(Path(__file__).with_name("script.json").read_text()))

    def decide(self, observation: Any) -> Any:
        action = next(self.script)
        return self.decision.default() if action is None else GAMES["container"].action_from_notation(action)


if __name__ == "__main__":
    run(Control)
