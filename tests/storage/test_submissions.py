"""What every store does with submissions."""

from collections.abc import Sequence

import pytest
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.submissions import SubmissionRecord

from tests.storage.conftest import AnyStore

NOON, ONE, TWO = (f"2030-01-01T{hour}:00:00+00:00" for hour in (12, 13, 14))
CONTENT, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture
def accounts(store: AnyStore) -> AnyStore:
    """A store with two bots of two owners, and three submissions."""
    for owner, bot in (("ann", "walker"), ("bob", "bee")):
        store.add_owner(owner)
        store.add_bot(bot, owner)
    store.add_submission("walker", "1", CONTENT, "ann", NOON)
    store.add_submission("bee", "1", OTHER, "bob", ONE)
    store.add_submission("walker", "2", OTHER, "ann", TWO)
    return store


@pytest.fixture
def before(accounts: AnyStore) -> int:
    """The id before the first one; on PostgreSQL a counter goes on."""
    return accounts.open_submissions()[0].id - 1


def ids(found: Sequence[SubmissionRecord]) -> list[int]:
    return [one.id for one in found]


def test_they_are_numbered_listed_and_found(accounts: AnyStore, before: int) -> None:
    assert ids(accounts.submissions()) == [before + 3, before + 2, before + 1]
    assert ids(accounts.submissions("walker")) == [before + 3, before + 1]
    assert ids(accounts.submissions("walker", 1)) == [before + 3]
    assert ids(accounts.open_submissions()) == [before + 1, before + 2, before + 3]
    assert ids(accounts.submitted_since("ann", NOON)) == [before + 1, before + 3]
    assert ids(accounts.submitted_since("ann", ONE)) == [before + 3]
    assert accounts.submission(before + 9) is None
    first = accounts.submission(before + 1)
    assert first is not None
    assert (first.bot, first.version, first.content_hash, first.owner) == ("walker", "1", CONTENT, "ann")
    assert (first.received_at, first.status, first.findings, first.decided_at) == (NOON, "received", "[]", "")


def test_an_admitted_one_is_a_version_from_then_on(accounts: AnyStore, before: int) -> None:
    accounts.check_submission(before + 1)
    assert [one.status for one in accounts.open_submissions()] == ["checking", "received", "received"]
    assert list(accounts.versions()) == []
    revision = accounts.members_revision()
    admitted = accounts.admit_submission(before + 1, '["fine"]', TWO)
    assert (admitted.status, admitted.findings, admitted.decided_at) == ("admitted", '["fine"]', TWO)
    assert accounts.submission(before + 1) == admitted
    assert accounts.members_revision() > revision
    assert [(one.version, one.content_hash) for one in accounts.versions("walker")] == [("1", CONTENT)]
    assert ids(accounts.open_submissions()) == [before + 2, before + 3]


def test_a_refused_one_is_none(accounts: AnyStore, before: int) -> None:
    assert accounts.refuse_submission(before + 2, '["bad"]', TWO).status == "refused"
    assert list(accounts.versions()) == []
    assert ids(accounts.open_submissions()) == [before + 1, before + 3]


def test_a_version_that_is_there_with_other_content_keeps_a_submission_out(accounts: AnyStore, before: int) -> None:
    accounts.add_version("walker", "1")
    with pytest.raises(StoreError, match="with other content"):
        accounts.admit_submission(before + 1, "[]", TWO)
    assert ids(accounts.open_submissions()) == [before + 1, before + 2, before + 3], "and it stays open"


def test_what_is_decided_or_unknown_is_not_decided_again(accounts: AnyStore, before: int) -> None:
    accounts.refuse_submission(before + 1, "[]", TWO)
    for number in (before + 1, before + 9):
        for decide in (accounts.admit_submission, accounts.refuse_submission):
            with pytest.raises(StoreError, match=f"no open submission {number}"):
                decide(number, "[]", TWO)
        with pytest.raises(StoreError, match=f"no open submission {number}"):
            accounts.check_submission(number)
    with pytest.raises(StoreError, match="knows no bot nobody"):
        accounts.add_submission("nobody", "1", CONTENT, "ann", NOON)
