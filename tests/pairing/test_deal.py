"""Seeds and match ids."""

import hashlib
import hmac

from gavelport_server.pairing.deal import deal_seed, match_id
from hypothesis import given
from hypothesis import strategies as st


def test_a_seed_is_the_hmac_of_the_deal() -> None:
    assert deal_seed(b"secret", 12) == hmac.new(b"secret", b"deal 12", hashlib.sha256).digest()
    assert len(deal_seed(b"", 0)) == 32


@given(st.binary(max_size=40), st.sets(st.integers(0, 10_000), min_size=2, max_size=20))
def test_deals_differ(secret: bytes, deals: set[int]) -> None:
    assert len({deal_seed(secret, deal) for deal in deals}) == len(deals)


def test_match_ids_differ_and_repeat() -> None:
    ids = [match_id(identity, number) for identity in ("a1", "b2", "a") for number in (0, 1, 10, 100)]
    assert len(set(ids)) == len(ids)
    assert all(len(name) == 20 and set(name) <= set("0123456789abcdef") for name in ids)
    assert match_id("a1", 10) == ids[2]
