"""What can be wrong, and whose fault it is.

Two families (design: "whose fault?"). A `Fault` is data: the reason why an action of somebody outside is not legal. It
is answered to the bot and recorded, never raised. The exceptions here are for text that cannot be read at all and for
options that describe no game; whoever reads outside input catches them and says so. Everything else that is raised
in the engine is a bug of ours.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an action is refused: a stable code for programs and a sentence for people.

    The sentence names only what the acting seat may know.
    """

    code: str
    sentence: str


class NotationError(ValueError):
    """A position, action or event in JSON form that cannot be read: where, what, what is expected.

    `code` is one of the game's `fault_codes`.
    """

    def __init__(self, path: str, problem: str, code: str = "malformed") -> None:
        """Name the place (`seats.0.cash`, empty for the whole) and what is wrong with it."""
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem
        self.code = code


class OptionsError(ValueError):
    """Options that describe no game; `problems` lists every one that was found, a sentence each.

    `code` is the notation's, where it has one for wrong options.
    """

    def __init__(self, problems: list[str], code: str = "options") -> None:
        """Keep all problems, so that they can be mended at once."""
        super().__init__("; ".join(problems))
        self.problems = problems
        self.code = code
