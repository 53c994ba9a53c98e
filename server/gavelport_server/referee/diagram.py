"""The states of a seat as a document, drawn from the tables that the referee runs on.

python -m gavelport_server.referee.diagram > docs/referee-states.md
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from gavelport_server.referee.states import DUTIES, PRESENCES, VERDICTS, Duty, Presence, Verdict

if TYPE_CHECKING:
    import enum
    from collections.abc import Mapping

_OPENING = """# The states of a seat

What a seat waits for in a match, and what leads from one state to the next. Drawn from the tables in
`server/gavelport_server/referee/states.py`, where the theory stands; made by
`python -m gavelport_server.referee.diagram > docs/referee-states.md`, and checked by a test.
"""
_SAID = {
    Verdict.JUDGE: "judged: taken, or refused with the reason",
    Verdict.PAST: "refused: `already_answered`, or `too_late` where the default was played",
    Verdict.WRONG: "refused: `wrong_decision`",
    Verdict.RETIRED: "refused: `retired`",
}


def document() -> str:
    """Return the document, in Markdown with Mermaid diagrams."""
    verdicts = [f"| {duty.value} | {aim.value} | {_SAID[verdict]} |" for (duty, aim), verdict in VERDICTS.items()]
    return "\n".join(
        [
            _OPENING,
            "## Duty: what the referee waits for\n",
            _mermaid(DUTIES, Duty.IDLE),
            "\n## Presence: whether messages reach the bot\n",
            _mermaid(PRESENCES, Presence.HERE, Presence.AWAY),
            "\n## What becomes of an answer\n",
            "| duty | the answer's decision id | verdict |",
            "|---|---|---|",
            *verdicts,
            "",
        ]
    )


def _mermaid(table: Mapping[tuple[Any, Any], Any], *first: enum.Enum) -> str:
    starts = [f"    [*] --> {state.value}" for state in first]
    moves = [f"    {before.value} --> {after.value}: {move.value}" for (before, move), after in table.items()]
    return "\n".join(["```mermaid", "stateDiagram-v2", *starts, *moves, "```"])


if __name__ == "__main__":
    sys.stdout.write(document())
