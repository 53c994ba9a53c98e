"""What is wrong with a message, or with a value that is to become one."""

from __future__ import annotations


class CodecError(ValueError):
    """A message that says nothing a game can take, or a value that no message can carry.

    Names only what the sender itself wrote, so that it is safe to tell the sender.
    """

    def __init__(self, path: str, problem: str) -> None:
        """Name the place by the message's field names (`container.buy.take`) and what is wrong there."""
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem
