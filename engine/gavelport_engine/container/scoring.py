"""The final scores (`container.md 1.4`, 8.3 to 8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelport_engine.container.goods import COLOUR_NAMES, Bag, Colour
from gavelport_engine.game import Outcome, competition_ranks

if TYPE_CHECKING:
    from collections.abc import Collection

    from gavelport_engine.container.table import State
    from gavelport_engine.game import Json

HARBOUR_VALUE = 2
SHIP_VALUE = 3
LOAN_COST = 11
DOUBLE, SINGLE = 10, 5
"""The $5 or $10 colour with and without all five colours on the island (8.3)."""

_BLACK, _WHITE, _BROWN, _TAN, _ORANGE = Colour
_CARDS: tuple[tuple[int, ...], ...] = (
    # by falling value: $10, $5 or $10, $6, $4, $2 (1.4)
    (_BLACK, _BROWN, _ORANGE, _TAN, _WHITE),
    (_BROWN, _ORANGE, _TAN, _WHITE, _BLACK),
    (_ORANGE, _TAN, _WHITE, _BLACK, _BROWN),
    (_TAN, _WHITE, _BLACK, _BROWN, _ORANGE),
    (_WHITE, _BLACK, _BROWN, _ORANGE, _TAN),
)


def special_colour(card: int) -> int:
    """Return the colour that a card values at $5 or $10."""
    return _CARDS[card][1]


def card_values(card: int, island: Bag) -> Bag:
    """Return what one container of each colour is worth to the holder of a card (1.4, 8.3)."""
    ten, special, six, four, two = _CARDS[card]
    values = [0] * len(island)
    values[ten], values[six], values[four], values[two] = 10, 6, 4, 2
    values[special] = DOUBLE if all(island) else SINGLE
    return tuple(values)


def discarded(card: int, island: Bag) -> int | None:
    """Return the colour that is discarded; None where the island area is empty (8.3)."""
    top = max(island)
    if not top:
        return None
    most = [colour for colour, count in enumerate(island) if count == top]
    special = special_colour(card)
    if special in most:
        return special
    values = card_values(card, island)
    return min(most, key=lambda colour: values[colour])


def score(state: State, seat: int) -> Json:
    """Return a seat's score line in the notation, in dollars (8.4)."""
    board = state.table.boards[seat]
    card = state.cards[seat]
    values = card_values(card, board.island)
    gone = discarded(card, board.island)
    island = sum(count * values[colour] for colour, count in enumerate(board.island) if colour != gone)
    return {
        "cash": state.cash[seat],
        "island": island,
        "bonus": all(board.island),
        "discarded": None if gone is None else COLOUR_NAMES[gone],
        "harbour": HARBOUR_VALUE * sum(board.harbour_store),
        "ship": SHIP_VALUE * sum(board.cargo),
        "loans": LOAN_COST * board.loans,
        "island_count": sum(board.island),
    }


def money(line: Json) -> int:
    """Return the money of a score line (8.4)."""
    gains: int = line["cash"] + line["island"] + line["harbour"] + line["ship"]
    costs: int = line["loans"]
    return gains - costs


def outcome(state: State, retired: Collection[int]) -> Outcome:
    """Return how a finished game ended; ties by containers on the island (8.5)."""
    if state.table.end is None:
        raise ValueError("the game is not over: there is no outcome yet")
    lines = tuple(score(state, seat) for seat in range(state.table.options.seats))
    totals = tuple(money(line) for line in lines)
    keys = [(total, line["island_count"]) for total, line in zip(totals, lines, strict=True)]
    return Outcome(state.table.end, totals, competition_ranks(keys, retired), lines)
