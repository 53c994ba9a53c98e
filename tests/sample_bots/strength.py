"""How strong the sample bots for Container are: `python -m tests.sample_bots.strength` prints the figures.

The matches are the same each time, so that a figure moves only when a bot, or the engine, does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gavelport_server.ratings.results import Results
from gavelport_server.ratings.standing import whole_history

from tests.sample_bots.arena import play_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gavelport_server.ratings.standing import Chance

    from tests.sample_bots.arena import Played

SIMPLE = ("factory_owner", "shipper", "trader")
GOOD = (*SIMPLE, "all_rounder", "look_ahead")
CHANCE_DEALS = range(50)
SIMPLE_DEALS = range(1_000, 1_100)
GOOD_DEALS = range(2_000, 2_025)


@dataclass(frozen=True, slots=True)
class Measured:
    """What some matches say of one bot."""

    matches: int
    alone: int
    """Matches in which it was first and shared the place with nobody."""
    money: float
    """Mean."""
    thinking_ms: float
    """Mean CPU time for a decision."""


def measured(matches: Sequence[Played], bot: str) -> Measured:
    """Return a bot's figures; it sits at each of the tables, once."""
    seats = [match.bots.index(bot) for match in matches]
    at = list(zip(matches, seats, strict=True))
    return Measured(
        matches=len(matches),
        alone=sum(match.ranks[seat] == 1 and match.ranks.count(1) == 1 for match, seat in at),
        money=sum(match.totals[seat] for match, seat in at) / len(at),
        thinking_ms=1000 * sum(m.thinking_s[seat] for m, seat in at) / sum(m.decisions[seat] for m, seat in at),
    )


def against_chance(bot: str, deals: Sequence[int] = CHANCE_DEALS) -> list[Played]:
    """Return blocks of a bot against three that play at random."""
    return play_blocks(((bot, *["random_legal"] * 3), deal) for deal in deals)


def against_simple(bot: str, deals: Sequence[int] = SIMPLE_DEALS) -> list[Played]:
    """Return blocks of a bot against the three simple ones."""
    return play_blocks(((bot, *SIMPLE), deal) for deal in deals)


def among_good(deals: Sequence[int] = GOOD_DEALS) -> list[Played]:
    """Return blocks of four good bots, each of them left out in turn."""
    return play_blocks((GOOD[: deal % 5] + GOOD[deal % 5 + 1 :], deal) for deal in deals)


def beats(matches: Sequence[Played], bot: str) -> dict[str, Chance]:
    """Return how likely a bot finishes before each other at its tables, with intervals that go by blocks."""
    names = sorted(set(matches[0].bots))
    results = Results.of(
        len(names), len(names), [([names.index(each) for each in m.bots], m.ranks, m.deal) for m in matches]
    )
    chances = whole_history(results).beats[names.index(bot)]
    return {name: chance for name, chance in zip(names, chances, strict=True) if name != bot}


def faults(matches: Sequence[Played]) -> list[str]:
    """Return every illegal action."""
    return [fault for match in matches for fault in match.faults]


def main() -> None:
    """Play all and print the figures."""
    print("Against three random_legal, 50 blocks of four:")
    for bot in GOOD:
        matches = against_chance(bot)
        got = measured(matches, bot)
        print(
            f"  {bot:14} first alone in {got.alone} of {got.matches}, ${got.money:.0f}, "
            f"{got.thinking_ms:.2f} ms a decision, {len(faults(matches))} faults"
        )
    print("all_rounder against the simple ones, 100 blocks of four:")
    matches = against_simple("all_rounder")
    for name, chance in beats(matches, "all_rounder").items():
        print(f"  before {name:14} {chance.p:.3f}, 95 % from {chance.low:.3f} to {chance.high:.3f}")
    print(f"  {len(faults(matches))} faults")
    matches = among_good()
    print(f"Among good bots: {dict(Counter(match.end for match in matches))}, {len(faults(matches))} faults")
    for bot in GOOD:
        got = measured([match for match in matches if bot in match.bots], bot)
        print(
            f"  {bot:14} first alone in {got.alone} of {got.matches}, ${got.money:.0f}, "
            f"{got.thinking_ms:.2f} ms a decision"
        )


if __name__ == "__main__":
    main()
