"""The final scores (`shipping.md 14`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.game import Outcome, competition_ranks
from gavelport_engine.shipping.data import CASH_PER_POINT

if TYPE_CHECKING:
    from collections.abc import Collection

    from gavelport_engine.game import Json
    from gavelport_engine.shipping.table import Board, State, Table


def end_of(table: Table) -> str:
    """Return why a finished game ended: `last_player` where one seat survives (11.6), else `years`."""
    left = sum(board.bankrupt is None for board in table.boards)
    return "last_player" if left == 1 else "years"


def score(board: Board) -> Json:
    """Return a seat's score line in the notation (14.1)."""
    return {
        "stock": board.stock,
        "cash": board.cash,
        "cash_points": board.cash // CASH_PER_POINT,
        "completed": board.completed,
        "bankrupt": board.bankrupt,
    }


def points(line: Json) -> int:
    """Return the points of a score line (14.1)."""
    stock: int = line["stock"]
    from_cash: int = line["cash_points"]
    return stock + from_cash


def _rank_key(line: Json) -> tuple[int, ...]:
    """14.2: by points, cash, Orders completed; bankrupt seats below all others, the later one higher."""
    if line["bankrupt"] is not None:
        return (0, line["bankrupt"])
    return (1, points(line), line["cash"], line["completed"])


def outcome(state: State, retired: Collection[int]) -> Outcome:
    """Return how a finished game ended. Raises ValueError before."""
    table = state.table
    if table.phase != "over":
        raise ValueError("the game is not over: there is no outcome yet")
    lines = tuple(map(score, table.boards))
    ranks = competition_ranks([_rank_key(line) for line in lines], retired)
    return Outcome(end_of(table), tuple(map(points, lines)), ranks, lines)
