"""A house that takes submissions, and whoever submits, over a real socket; the examination is a double."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio
from gavelport.v1 import lobby_pb2 as pb
from gavelport_server.conduct.checks.finding import Finding, Verdict
from gavelport_server.transport.client import Client
from gavelport_server.transport.link import ServiceError

from tests.lobby.world import House, serving

MANIFEST = 'name = "ant"\nversion = "2"\nlanguage = "python"\nentry = "main.py"\ngames = ["container"]\n'
CHUNK = 32 * 1024
GOOD = Finding("full match", Verdict.PASSED, "12 decisions, no fault")
BAD = Finding("full match", Verdict.FAILED, "faults: 1 illegal", "decision 7", "ask the rules", ("a line",))


def files(manifest: str = MANIFEST, **others: bytes) -> dict[str, bytes]:
    """A bot's files."""
    return {"bot.toml": manifest.encode(), "main.py": b"pass\n", **others}


def zipped(entries: Mapping[str, bytes], *, kind: int = stat.S_IFREG, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file as any tool may make it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (kind if name not in ("bot.toml", "main.py") else stat.S_IFREG) << 16
            entry.compress_type = method
            made.writestr(entry, content)
    return out.getvalue()


def requests(data: bytes, *, size: int | None = None, sha256: str | None = None) -> Iterator[pb.SubmitRequest]:
    """An upload, which may announce something else than what it is."""
    header = pb.SubmitHeader(
        size_bytes=len(data) if size is None else size,
        sha256=hashlib.sha256(data).hexdigest() if sha256 is None else sha256,
    )
    yield pb.SubmitRequest(header=header)
    for start in range(0, len(data), CHUNK):
        yield pb.SubmitRequest(chunk=data[start : start + CHUNK])


class Author:
    """Somebody with a token."""

    def __init__(self, target: str, token: str) -> None:
        self.client = Client(target, token)

    def send(self, upload: Iterator[pb.SubmitRequest]) -> pb.Submission:
        """Submit."""
        return self.client.upload(upload, pb.SubmitRequest, pb.SubmitResponse).submission

    def submit(self, manifest: str = MANIFEST, **others: bytes) -> pb.Submission:
        """Submit a bot."""
        return self.send(requests(zipped(files(manifest, **others))))

    def refused(self, upload: Iterator[pb.SubmitRequest]) -> tuple[str, str]:
        """How an upload is refused."""
        try:
            submission = self.send(upload)
        except ServiceError as error:
            return error.code.name, error.text
        return "OK", str(submission)


@dataclass
class Lost:
    """Stands for a launcher: there or lost."""

    is_lost: bool = False


class Double:
    """Stands for the examination of a bot."""

    def __init__(self) -> None:
        self.findings: list[Finding] = [GOOD]
        self.seen: list[dict[str, bytes]] = []
        """The files of each bot that was examined."""
        self.error: Exception | None = None
        self.gate: trio.Event | None = None
        """Where there is one, an examination waits for it behind its first finding."""
        self.began = trio.Event()

    async def __call__(
        self, folder: Path, logs: Path, tell: Callable[[Finding], None], *, launcher: Any, limits: Any
    ) -> None:
        self._look(folder, logs)
        tell(Finding("manifest", Verdict.PASSED, "as it should be"))
        self.began.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        for finding in self.findings:
            tell(finding)
        await trio.lowlevel.checkpoint()

    def _look(self, folder: Path, logs: Path) -> None:
        assert logs.is_dir()
        self.seen.append({path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()})


def opened(house: House) -> Double:
    """Let a house take submissions, and return what stands for their examination."""
    house.live.hosting = ""
    house.desks.examiner._check = double = Double()
    return double


@asynccontextmanager
async def examining(house: House) -> AsyncIterator[str]:
    """The house on a socket, with its examiner at work; the target of clients."""
    async with serving(house) as target, trio.open_nursery() as nursery:
        launcher: Any = Lost()
        nursery.start_soon(house.desks.examiner.run, launcher)
        yield target
        nursery.cancel_scope.cancel()


def on_socket(house: House, act: Callable[[str], Any], *, examines: bool = False) -> Any:
    """What `act`, in a thread, makes of the house's target."""

    async def main() -> Any:
        async with examining(house) if examines else serving(house) as target:
            with trio.fail_after(60):
                return await trio.to_thread.run_sync(act, target)

    return trio.run(main)
