"""`python -m tests.balance`: plays sample bots against each other and writes docs/balance-shipping.md."""

from __future__ import annotations

import argparse
import os
import sys
import time
from itertools import permutations
from pathlib import Path

from tests.balance.matches import Job, play_blocks
from tests.balance.report import report

OUTPUT = Path(__file__).parents[2] / "docs" / "balance-shipping.md"
BOTS = ("shipping_filler", "shipping_industrialist", "shipping_trader")
SEATS = 4
FOURTH = ("shipping_look_ahead", *BOTS)
HEAD = """# Shipping: balance between the sample bots

Whether seats, homes and strategies are even, over many matches between the sample bots.
Written by `python -m tests.balance`. Four seats, four years. At every table sit
{bots} and a fourth, in turn
{fourth}.

A block is one deal played four times, so that every bot has every seat, home city and place in the turn order once; the
circular order of the bots goes through all there are. Points are those of rule 14.1. First places depend on the
company: two of a kind share them out.

"""


def jobs(blocks: int) -> list[Job]:
    """Return so many blocks; deals are counted from 1."""
    found: list[Job] = []
    for deal in range(1, blocks + 1):
        fourth = FOURTH[deal % len(FOURTH)]
        orders = list(permutations((*BOTS[1:], fourth)))
        found.append(((BOTS[0], *orders[deal // len(FOURTH) % len(orders)]), deal))
    return found


def main() -> None:
    """Play, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.balance", description=__doc__)
    parser.add_argument("--games", type=int, default=2000, help="matches, a multiple of 4 (default 2000)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (default: one a processor)")
    parser.add_argument("--out", type=Path, default=OUTPUT, help="the file to write")
    given = parser.parse_args()
    if given.games < 8 or given.games % SEATS:
        parser.error(f"--games {given.games}: a block is {SEATS} matches, and two blocks are the least")
    begun, blocks = time.monotonic(), []
    for block in play_blocks(jobs(given.games // SEATS), given.workers):
        blocks.append(block)
        if len(blocks) % 25 == 0:
            sys.stderr.write(f"{len(blocks)} blocks, {time.monotonic() - begun:.0f} s\n")
    given.out.write_text(HEAD.format(bots=", ".join(BOTS), fourth=", ".join(FOURTH)) + report(blocks), "utf-8")
    sys.stdout.write(f"{given.out}: {given.games} matches in {time.monotonic() - begun:.0f} s\n")


if __name__ == "__main__":
    main()
