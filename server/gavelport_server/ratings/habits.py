"""What bots give each other out of habit, by which gifts are judged (`collusion.py`).

By kind of dealing, what A gives B is expected to be how much the two dealt in, times A's habit. That is what A gives
by goods to everybody else, or what it gives to the third seats at the very tables where B sits, whichever is more;
where goods are few, both drawn towards what anybody gives anybody.

The company matters: where two bid high, either has to pay more for what it wins, from whomever, and A beside B is
another than A elsewhere. And who deals much with whom is left aside, only on what terms is not: a producer and a
merchant may live on each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gavelport_server.ratings.sittings import ratio

if TYPE_CHECKING:
    from gavelport_server.ratings.sittings import Floats, Slots

_PRIOR_GOODS = 20.0
"""So many goods dealt in on the terms drawn towards are added to those dealt in."""


def expected_gifts(slots: Slots) -> Floats:
    """Return what each slot's giver gives its taker by habit, in a match on average; see the module's opening."""
    expected = np.zeros_like(slots.gift)
    for gift, goods in slots.by_kind():
        given, dealt = slots.totals(gift), slots.totals(goods)
        usual = ratio(given.sum(), dealt.sum())
        otherwise = _terms(given.sum(1)[:, None] - given, dealt.sum(1)[:, None] - dealt, usual)
        third_given, third_dealt = (slots.totals(slots.to_third_seats(each)) for each in (gift, goods))
        beside = _terms(third_given, third_dealt, otherwise)
        expected += goods * np.maximum(otherwise, beside)[slots.giver, slots.taker]
    return expected


def _terms(given: Floats, dealt: Floats, towards: Floats) -> Floats:
    """Return gifts by goods, drawn towards other terms."""
    return (given + _PRIOR_GOODS * towards) / (dealt + _PRIOR_GOODS)
