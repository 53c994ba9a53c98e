"""The deal (`container.md 1`) and how a seed gives it (`container-notation.md`)."""

from __future__ import annotations

from dataclasses import dataclass

from gavelport_engine.container.goods import COLOURS, at_price, minus
from gavelport_engine.container.table import CARD_NAMES, Board, Options, State, Table
from gavelport_engine.rng import Stream

START_CASH = 20
START_PRICE = 2
"""The price of the container that each seat begins with (1.2)."""


@dataclass(frozen=True, slots=True)
class Deal:
    """What chance decides: first factories and cards by seat, and who begins (1.2, 1.4, 1.5)."""

    factories: tuple[int, ...]
    cards: tuple[int, ...]
    start_seat: int


def deal(options: Options, seed: bytes) -> Deal:
    """Return the deal of a seed. Raises ValueError for a seed that is not 32 bytes."""
    if len(seed) != 32:
        raise ValueError(f"a seed has 32 bytes, this one has {len(seed)}")
    stream = Stream(seed, "deal")
    colours, cards = list(range(COLOURS)), list(range(len(CARD_NAMES)))
    stream.shuffle(colours)
    stream.shuffle(cards)
    n = options.seats
    return Deal(tuple(colours[:n]), tuple(cards[:n]), stream.below(n))


def set_up(options: Options, dealt: Deal) -> State:
    """Return the position in which the start seat's first turn is about to begin (1.1 to 1.6)."""
    n = options.seats
    supply = (options.supply_per_player * n,) * COLOURS
    boards = []
    for colour in dealt.factories:
        first = tuple(int(other == colour) for other in range(COLOURS))
        supply = minus(supply, first)
        boards.append(
            Board(
                factories=(colour, None, None, None),
                factory_store=at_price(START_PRICE, first),
            )
        )
    table = Table(
        options=options,
        turn=1,
        seat=dealt.start_seat,
        phase="start_turn",
        actions_left=2,
        produced=False,
        sold_domestic=False,
        loans_taken=0,
        loans_repaid=0,
        quiet_turns=0,
        busy=False,
        unpaid=0,
        supply=supply,
        removed=(0,) * COLOURS,
        boards=boards,
    )
    return State(table=table, cash=[START_CASH] * n, cards=dealt.cards)
