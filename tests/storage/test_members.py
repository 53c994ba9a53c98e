"""What every store does with owners, bots, versions and tokens."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.members import ActionRecord, TokenRecord

from tests.storage.conftest import AnyStore

NOON = "2030-01-01T12:00:00+00:00"
TOKEN = TokenRecord("00ff" * 4, bytes(32), "bot", "ann", "walker", "laptop", NOON, "", "", "")


@pytest.fixture
def members(store: AnyStore) -> AnyStore:
    """A store with an owner and a bot of two versions."""
    store.add_owner("ann")
    store.add_bot("walker", "ann")
    store.add_version("walker", "1.0")
    store.add_version("walker", "1.1", "ab" * 32)
    return store


def test_what_is_added_is_there_once(members: AnyStore) -> None:
    revision = members.members_revision()
    owner, bot = members.add_owner("ann"), members.add_bot("walker", "ann")
    version = members.add_version("walker", "1.1", "ab" * 32)
    assert members.members_revision() == revision
    assert list(members.owners()) == [owner]
    assert (owner.name, owner.is_house) == ("ann", False)
    assert list(members.bots()) == [bot]
    assert (bot.owner, bot.status, bot.status_reason, bot.pinned_version, bot.last_seen_at) == (
        "ann", "active", "", "", "",
    )  # fmt: skip
    assert [(one.version, one.number) for one in members.versions("walker")] == [("1.0", 1), ("1.1", 2)]
    assert members.versions("walker")[1] == version
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", bot.created_at)


def test_lists_are_ordered(members: AnyStore) -> None:
    members.add_owner("Zoe", is_house=True)
    members.add_owner("bob")
    members.add_bot("ant", "Zoe")
    members.add_version("ant", "2")
    members.add_version("ant", "10")
    assert [one.name for one in members.owners()] == ["Zoe", "ann", "bob"]
    assert [one.name for one in members.bots()] == ["ant", "walker"]
    assert [(one.bot, one.version) for one in members.versions()] == [
        ("ant", "2"), ("ant", "10"), ("walker", "1.0"), ("walker", "1.1"),
    ]  # fmt: skip
    for number in (2, 1):
        members.add_token(replace(TOKEN, id=f"{number:016x}", created_at=f"2030-01-0{number}T00:00:00+00:00"))
    assert [one.id for one in members.tokens()] == [f"{1:016x}", f"{2:016x}"]


def test_every_change_raises_the_revision(members: AnyStore) -> None:
    seen = [members.members_revision()]
    for change in (
        lambda: members.add_owner("bob"),
        lambda: members.add_bot("ant", "bob"),
        lambda: members.add_version("ant", "1"),
        lambda: members.set_status("ant", "banned", "cheats"),
        lambda: members.pin_version("walker", "1.0"),
        lambda: members.pin_version("walker", ""),
        lambda: members.add_token(TOKEN),
        lambda: members.revoke_token(TOKEN.id, NOON),
    ):
        change()
        seen.append(members.members_revision())
    assert all(later > earlier for earlier, later in pairwise(seen))


def test_notes_of_use_do_not_raise_the_revision(members: AnyStore) -> None:
    members.add_token(TOKEN)
    before = members.members_revision()
    members.tokens_used({TOKEN.id: NOON, "unknown": NOON})
    members.tokens_used({})
    members.seen(["walker", "nobody"], NOON)
    members.log_action(ActionRecord(NOON, "local", "ban", "ant", "cheats"))
    members.set_status("walker", "active", "")
    assert members.members_revision() == before
    assert members.tokens()[0].last_used_at == NOON
    assert members.bots()[0].last_seen_at == NOON


def test_status_and_pin(members: AnyStore) -> None:
    banned = members.set_status("walker", "banned", "cheats")
    assert (banned.status, banned.status_reason) == ("banned", "cheats")
    pinned = members.pin_version("walker", "1.0")
    assert list(members.bots()) == [pinned]
    assert (pinned.status, pinned.pinned_version) == ("banned", "1.0")
    assert members.pin_version("walker", "").pinned_version == ""


def test_a_token_is_revoked_once(members: AnyStore) -> None:
    members.add_token(TOKEN)
    assert list(members.tokens()) == [TOKEN]
    assert members.revoke_token(TOKEN.id, NOON).revoked_at == NOON
    assert members.revoke_token(TOKEN.id, "2031-01-01T00:00:00+00:00").revoked_at == NOON
    assert members.tokens()[0] == replace(TOKEN, revoked_at=NOON)


def test_a_spectators_token_is_nobodys(members: AnyStore) -> None:
    free = replace(TOKEN, scope="spectator", owner="", bot="")
    members.add_token(free)
    assert list(members.tokens()) == [free]


def test_actions_come_latest_first(members: AnyStore) -> None:
    actions = [ActionRecord(NOON, "local", "pause", "", str(number)) for number in range(4)]
    for one in actions:
        members.log_action(one)
    assert list(members.actions(3)) == actions[:0:-1]


def test_contradictions_are_told_in_words(members: AnyStore) -> None:
    members.add_owner("bob")
    members.add_token(TOKEN)
    for ask, said in (
        (lambda: members.add_owner("ann", is_house=True), "owner ann is there already and is not the house's"),
        (lambda: members.add_bot("walker", "bob"), "bot walker is another owner's; take another name"),
        (lambda: members.add_bot("ant", "nobody"), "knows no owner nobody; add the owner first"),
        (lambda: members.add_version("ant", "1"), "knows no bot ant"),
        (lambda: members.add_version("walker", "1.0", "cd" * 32), "walker 1.0 is there with other content"),
        (lambda: members.pin_version("walker", "7"), "bot walker has no version 7"),
        (lambda: members.pin_version("ant", ""), "knows no bot ant"),
        (lambda: members.set_status("ant", "banned", ""), "knows no bot ant"),
        (lambda: members.add_token(TOKEN), f"has token {TOKEN.id} already"),
        (lambda: members.add_token(replace(TOKEN, id="1", owner="eve")), "knows no owner eve"),
        (lambda: members.add_token(replace(TOKEN, id="1", bot="ant")), "knows no bot ant"),
        (
            lambda: members.add_token(replace(TOKEN, id="1", owner="bob")),
            "another owner's than the token's bob",
        ),
        (lambda: members.revoke_token("1", NOON), "has no token 1"),
    ):
        before = members.members_revision()
        with pytest.raises(StoreError, match=said):
            ask()
        assert members.members_revision() == before
