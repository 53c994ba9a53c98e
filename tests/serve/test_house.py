"""House bots are kept running; and how long the referee takes is measured from arrival to sending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import structlog
import trio
from gavelport_server.archive.journal_format import Entry, EntryKind
from gavelport_server.conduct import house
from gavelport_server.conduct.house import OWNER, HouseBots
from gavelport_server.conduct.manifest import read_manifest
from gavelport_server.conduct.stopwatch import Stopwatch, TimedJournal
from gavelport_server.storage.errors import StoreError
from gavelport_server.storage.memory import MemoryStore
from gavelport_server.transport.link import LostReason

if TYPE_CHECKING:
    from pathlib import Path

    from gavelport_server.conduct.manifest import BotManifest


def bot(folder: Path, text: str) -> BotManifest:
    folder.mkdir()
    manifest = 'name = "quitter"\nversion = "1"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
    (folder / "bot.toml").write_text(manifest)
    (folder / "main.py").write_text(text)
    return read_manifest(folder)


async def test_a_house_bot_that_ends_is_started_again_with_its_own_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "AGAIN_S", 0.05)
    quitter = bot(
        tmp_path / "quitter",
        "import os, sys\nprint(os.environ['GAVELPORT_TOKEN'], os.environ['GAVELPORT_TARGET'])\nsys.exit(3)\n",
    )
    bots = HouseBots([quitter], tmp_path / "logs")
    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(bots.run, "127.0.0.1:1")
            with trio.fail_after(30):
                while len(logs) < 2:  # noqa: ASYNC110  the log has no event to wait for
                    await trio.sleep(0.05)
            nursery.cancel_scope.cancel()
    assert {(line["event"], line["bot"], line["exit_code"]) for line in logs} == {("house_bot_ended", "quitter", 3)}
    token, target = (tmp_path / "logs" / "quitter.1.log").read_text().split()
    caller = bots.caller(token)
    assert caller is not None
    assert (caller.scope, caller.owner, caller.bot, target) == ("bot", OWNER, "quitter", "127.0.0.1:1")
    assert bots.caller("another") is None


def test_the_houses_names_are_nobody_elses(tmp_path: Path) -> None:
    store = MemoryStore()
    bots = HouseBots([bot(tmp_path / "quitter", "")], tmp_path)
    bots.register(store)
    bots.register(store)
    assert [(one.name, one.is_house) for one in store.owners()] == [(OWNER, True)]
    assert [(one.name, one.owner) for one in store.bots()] == [("quitter", OWNER)]
    taken = MemoryStore()
    taken.add_owner("me")
    taken.add_bot("quitter", "me")
    with pytest.raises(StoreError, match="quitter"):
        bots.register(taken)


class Hub:
    """A listener that has something sent once the journal is synced."""

    def __init__(self, journal: TimedJournal) -> None:
        self.journal = journal
        self.sent: list[bytes] = []

    def opened(self, link: Any) -> None:
        pass

    def received(self, link: Any, message: bytes, at: float) -> None:
        self.journal.put(Entry(EntryKind.INPUT, 1, message))
        self.journal.when_synced(lambda: self.sent.append(message))

    def lost(self, link: Any, reason: LostReason) -> None:
        pass


async def test_the_overhead_runs_from_an_answers_arrival_until_what_follows_is_sent(tmp_path: Path) -> None:
    overheads: list[float] = []
    journal = TimedJournal(tmp_path, overheads.append)
    hub = Hub(journal)
    journal.stopwatch = stopwatch = Stopwatch(hub)
    link: Any = object()
    stopwatch.opened(link)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run)
        stopwatch.received(link, b"answer", trio.current_time() - 0.5)
        assert (hub.sent, overheads, stopwatch.arrived, stopwatch.streams) == ([], [], None, 1)
        await journal.synced()
        journal.when_synced(lambda: hub.sent.append(b"a deadline's"))  # follows from no message
        assert hub.sent == [b"answer", b"a deadline's"]
        nursery.cancel_scope.cancel()
    assert len(overheads) == 1
    assert 0.5 < overheads[0] < 5
    stopwatch.lost(link, LostReason.ENDED)
    assert stopwatch.streams == 0
