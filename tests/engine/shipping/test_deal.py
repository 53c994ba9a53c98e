"""The deal, against code of its own written from the notation ("The deal from a seed"); the options (2.1)."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from gavelport_engine.errors import OptionsError
from gavelport_engine.rng import Stream
from gavelport_engine.shipping.data import GOOD_IDS
from gavelport_engine.shipping.rules import SHIPPING

from tests.engine.shipping.positions import act_on, state

SEEDS = [bytes(32), bytes(range(32)), b"\xff" * 32, hashlib.sha256(b"any").digest()]
HOMES = ["new_york", "santos", "rotterdam", "cape_town", "mumbai", "shanghai"]


def words(prefix: bytes) -> Iterator[int]:
    i = 0
    while True:
        block = hashlib.sha256(prefix + i.to_bytes(8, "big")).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        i += 1


def below(stream: Iterator[int], k: int) -> int:
    while True:
        w = next(stream)
        if not w >= 2**32 - (2**32 % k):
            return w % k


def shuffled(stream: Iterator[int], items: list[str]) -> list[str]:
    for i in range(len(items) - 1, 0, -1):
        j = below(stream, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_deal_is_that_of_the_notation(seed: bytes, n: int) -> None:
    stream = words(seed + b"deal")
    homes = shuffled(stream, list(HOMES))[:n]
    orders = shuffled(stream, [f"O{number:02}" for number in range(1, 49)])
    news = shuffled(stream, [f"N{number:02}" for number in range(1, 25)])
    start = below(stream, n)
    options = SHIPPING.options({"seats": n})
    assert SHIPPING.deal_to_notation(options, seed) == {
        "homes": homes,
        "orders": orders,
        "news": news,
        "start_seat": start,
    }
    position = SHIPPING.to_notation(SHIPPING.initial_state(options, seed))
    assert [seat["home"] for seat in position["seats"]] == homes
    assert [seat["orders"] for seat in position["seats"]] == [
        [{"card": card, "done": 0, "hidden": True}] for card in orders[:n]
    ]
    assert position["open_orders"] == orders[n : n + 4]
    assert position["order_deck"] == orders[n + 4 :]
    assert (position["news_deck"], position["news"]) == (news, [])
    assert (position["start"], position["seat"], position["turn"], position["ap"]) == (start, start, 1, 2)
    assert position["terminal"] == {good: [None] * 3 for good in GOOD_IDS}
    assert position["seed"] == seed.hex()


@pytest.mark.parametrize("reshuffles", [0, 1, 255, 2**40])
def test_a_reshuffle_is_that_of_the_notation(reshuffles: int) -> None:
    seed = bytes(range(32))
    discard = ["O03", "O10", "O33", "O40", "O48"]
    stream = words(seed + b"reshuffle" + reshuffles.to_bytes(8, "big"))
    expected = shuffled(stream, list(discard))
    at = state({"seed": seed.hex(), "order_deck": [], "order_discard": discard, "reshuffles": reshuffles})
    act_on(at, 0, {"type": "draw_order"})
    position = SHIPPING.to_notation(at)
    assert position["seats"][0]["orders"][0]["card"] == expected[0]
    assert position["order_deck"] == expected[1:]
    assert (position["reshuffles"], position["order_discard"]) == (reshuffles + 1, [])


def test_a_purpose_s_streams_differ_from_one_another() -> None:
    first = {Stream(bytes(32), "reshuffle", k).word() for k in range(20)}
    assert len(first | {Stream(bytes(32), "reshuffle").word()}) == 21


def test_every_seat_begins_and_every_home_is_dealt() -> None:
    options = SHIPPING.options({"seats": 5})
    deals = [SHIPPING.deal_to_notation(options, number.to_bytes(32, "big")) for number in range(200)]
    assert {deal["start_seat"] for deal in deals} == set(range(5))
    assert {home for deal in deals for home in deal["homes"]} == set(HOMES)
    assert all(len(set(deal["homes"])) == 5 for deal in deals)


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes, this one has 31"):
        SHIPPING.initial_state(SHIPPING.options({}), bytes(31))


def test_the_default_options() -> None:
    assert SHIPPING.options_to_notation(SHIPPING.options({})) == {"seats": 3, "years": 4, "no_elimination": False}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seats", 1),
        ("seats", 6),
        ("seats", 3.0),
        ("years", 2),
        ("years", 6),
        ("years", True),
        ("no_elimination", 1),
        ("players", 3),
        (7, 7),
    ],
)
def test_a_wrong_option_is_refused_by_name(name: Any, value: Any) -> None:
    with pytest.raises(OptionsError) as caught:
        SHIPPING.options({name: value})
    assert len(caught.value.problems) == 1
    assert str(name) in caught.value.problems[0]
    assert caught.value.code == "E70"


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(OptionsError) as caught:
        SHIPPING.options({"seats": 9, "years": None, "speed": 1})
    assert [problem.split()[0] for problem in caught.value.problems] == ["unknown", "seats:", "years:"]
