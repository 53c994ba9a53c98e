"""`gavelport serve` as a process of its own, as an operator starts it."""

from __future__ import annotations

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from gavelport_server.lobby import tokens
from gavelport_server.storage.sql import SqlStore

GAVELPORT = Path(sys.executable).with_name("gavelport")
PATIENCE_S = 60.0


class Server:
    """A server that has started; `log` is the file that its log goes to."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.trust: ssl.SSLContext | None = None
        self.process = process
        self.log = log
        self.printed = ""
        assert process.stdout is not None
        for line in process.stdout:
            self.printed += line
            if line.startswith("  gavelport token"):
                break
        else:
            process.wait()
            raise AssertionError(f"it did not start: {self.printed}{log.read_text() if log.exists() else ''}")
        self.target = self._said("bots")
        self.url = self._said("web").removesuffix("/,")

    def _said(self, what: str) -> str:
        found = re.search(rf"^  {what} +(\S+)", self.printed, re.MULTILINE)
        assert found is not None, self.printed
        return found[1]

    def get(self, path: str) -> Any:
        """Return what an address of the JSON API, or `/health`, says."""
        return json.loads(self.text(path))

    def text(self, path: str) -> str:
        try:
            with urllib.request.urlopen(self.url + path, timeout=20, context=self.trust) as response:
                return str(response.read().decode())
        except HTTPError as error:
            return str(error.read().decode())

    def metric(self, name: str) -> float:
        """Return the sum of a metric's series."""
        lines = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", self.text("/metrics"), re.MULTILINE)
        return sum(float(line) for line in lines)

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def wait_until(self, reached: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        deadline = time.monotonic() + patience_s
        while not reached():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, f"it did not happen\n{self.log.read_text()[-3000:]}"
            time.sleep(0.1)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


def command(data: Path, *arguments: str) -> list[str]:
    return [
        *(str(GAVELPORT), "serve", "--data", str(data), "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"),
        *("--log-file", str(data.parent / "serve.log"), *arguments),
    ]


@contextmanager
def serving(data: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Start a server, and see that it is gone at the end."""
    process = subprocess.Popen(
        command(data, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **(env or {})},
    )
    assert process.stdout is not None
    with closing(process.stdout):
        try:
            yield Server(process, data.parent / "serve.log")
        finally:
            process.kill()
            process.wait()


def admit(data: Path, owners: Mapping[str, list[str]]) -> dict[str, str]:
    """Enter owners with their bots in a data folder's database; return the bots' tokens."""
    made = {}
    store = SqlStore.in_folder(data, create=True)
    try:
        for owner, bots in owners.items():
            store.add_owner(owner)
            for bot in bots:
                store.add_bot(bot, owner)
                made[bot], record = tokens.make("bot", owner=owner, bot=bot, now=datetime.now(UTC))
                store.add_token(record)
    finally:
        store.close()
    return made
