"""The deal, against code of its own written from the notation ("The deal from a seed")."""

import hashlib
from collections.abc import Iterator

import pytest
from gavelport_engine.container.rules import CONTAINER
from gavelport_engine.rng import Stream, commitment

SEEDS = [bytes(32), bytes(range(32)), b"\xff" * 32, hashlib.sha256(b"any").digest()]

PINNED = {
    "factories": ["orange", "black", "white", "brown"],
    "cards": ["B", "D", "C", "A"],
    "start_seat": 1,
}


def words(seed: bytes) -> Iterator[int]:
    i = 0
    while True:
        block = hashlib.sha256(seed + b"deal" + i.to_bytes(8, "big")).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        i += 1


def below(stream: Iterator[int], k: int) -> int:
    while True:
        w = next(stream)
        if not w >= 2**32 - (2**32 % k):
            return w % k


def dealt(seed: bytes, n: int) -> tuple[list[str], list[str], int]:
    stream = words(seed)
    colours = ["black", "white", "brown", "tan", "orange"]
    cards = ["A", "B", "C", "D", "E"]
    for items in (colours, cards):
        for i in range(len(items) - 1, 0, -1):
            j = below(stream, i + 1)
            items[i], items[j] = items[j], items[i]
    return colours[:n], cards[:n], below(stream, n)


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.hex()[:8])
def test_the_deal_is_that_of_the_notation(seed: bytes, n: int) -> None:
    factories, cards, start = dealt(seed, n)
    options = CONTAINER.options({"seats": n})
    position = CONTAINER.to_notation(CONTAINER.initial_state(options, seed))
    assert CONTAINER.deal_to_notation(options, seed) == {
        "factories": factories,
        "cards": cards,
        "start_seat": start,
    }
    assert [seat["factories"][0] for seat in position["seats"]] == factories
    assert [seat["card"] for seat in position["seats"]] == cards
    assert (position["seat"], position["turn"], position["phase"]) == (start, 1, "action")


def test_a_pinned_deal() -> None:
    """container-notation.md: the deal of one seed, so that no change goes unseen."""
    deal = CONTAINER.deal_to_notation(CONTAINER.options({"seats": 4}), bytes(range(32)))
    factories, cards, start = dealt(bytes(range(32)), 4)
    assert deal == {"factories": factories, "cards": cards, "start_seat": start}
    assert deal == PINNED


def test_everybody_begins_as_in_1_2() -> None:
    options = CONTAINER.options({"seats": 5, "supply_per_player": 3})
    position = CONTAINER.to_notation(CONTAINER.initial_state(options, bytes(32)))
    assert position["supply"] == dict.fromkeys(("black", "white", "brown", "tan", "orange"), 14)
    for seat in position["seats"]:
        colour = seat["factories"][0]
        assert seat["factories"] == [colour, None, None, None]
        assert seat["factory_store"] == {"2": {colour: 1}}
        assert (seat["cash"], seat["loans"], seat["warehouses"]) == (20, 0, 1)
        assert (seat["harbour_store"], seat["island"]) == ({}, {})
        assert seat["ship"] == {"at": "sea", "cargo": {}}


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes, this one has 31"):
        CONTAINER.initial_state(CONTAINER.options({}), bytes(31))


def test_below_skips_the_words_that_would_bias() -> None:
    """With k = 2**31 + 1 every second word or so is at or above the limit."""
    k = 2**31 + 1
    stream, own = Stream(bytes(32), "deal"), words(bytes(32))
    assert [stream.below(k) for _ in range(50)] == [below(own, k) for _ in range(50)]


@pytest.mark.parametrize("k", [0, -1, 2**32 + 1])
def test_below_refuses_what_it_cannot_draw(k: int) -> None:
    with pytest.raises(ValueError, match="k must be 1 to"):
        Stream(bytes(32), "x").below(k)


def test_one_purpose_moves_no_other() -> None:
    first, second = Stream(bytes(32), "deal"), Stream(bytes(32), "play")
    lone = [Stream(bytes(32), "deal").word() for _ in range(1)]
    second.word()
    assert [first.word()] == lone
    assert first.word() != second.word()


def test_the_commitment() -> None:
    assert commitment(b"s" * 32, "m-1") == hashlib.sha256(b"s" * 32 + b"m-1").hexdigest()
