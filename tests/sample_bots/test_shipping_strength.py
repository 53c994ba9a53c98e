"""How strong the bots for Shipping are, over whole blocks."""

from __future__ import annotations

import shutil

import pytest

from tests.balance.matches import Job, play_blocks
from tests.sample_bots.bots import manifests

BLOCKS = 50
BLOCKS_OF_THE_SLOW = 12
NAMES = [manifest.name for manifest in manifests("python", "shipping") if manifest.name != "random_legal"]
ON_NODE = pytest.param(
    "shipping_trader", marks=pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
)


def against_chance(name: str, blocks: int) -> list[Job]:
    return [((name, *["random_legal"] * 3), deal) for deal in range(blocks)]


@pytest.mark.long
@pytest.mark.parametrize("name", [*NAMES, ON_NODE])
def test_it_is_first_against_three_random_bots(name: str) -> None:
    blocks = BLOCKS_OF_THE_SLOW if name == "shipping_look_ahead" else BLOCKS
    matches = [match for block in play_blocks(against_chance(name, blocks)) for match in block]
    firsts = sum(match.ranks[match.bots.index(name)] == 1 for match in matches)
    assert firsts >= 0.95 * len(matches), f"{firsts} of {len(matches)}"
    assert not any(match.bankrupt[match.bots.index(name)] for match in matches)


@pytest.mark.long
def test_random_play_is_not_first_against_the_industrialist() -> None:
    """So the count of firsts is no matter of course."""
    (block,) = play_blocks([(("random_legal", *["shipping_industrialist"] * 3), 1)])
    assert [match.ranks[match.bots.index("random_legal")] for match in block] == [4, 4, 4, 4]
