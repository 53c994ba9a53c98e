"""What the fuzzer gives to the intake: packages, and manifests in otherwise good ones."""

from __future__ import annotations

import tempfile
import zipfile
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from gavelport_server.transport.link import ServiceError

from tests.lobby.world import ANN, House
from tests.submit.world import MANIFEST, files, zipped

if TYPE_CHECKING:
    import queue
    import random
    from collections.abc import Iterator

    from gavelport_server.lobby.intake import Intake

ZIP, TEXT = b"\x00", b"\x01"
HOUSE_INPUTS = 5
"""After so many what they left behind is thrown away: a version that is there would stand in the way of most."""
AFRESH = 0.5
"""So many changes begin with a seed: what was changed often is refused at its first word."""
WORDS = (
    '"ant"', '"Ant"', '""', '"2"', '"\\u0000"', '"node"', '"/etc/passwd"', '"none.py"', "[]", '["container"]',
    "[[1]]", "{}", "1", "1e999", "nan", "true", "2030-01-01", "'''", "[games]", "[[games]]", "\n", "=", ".", "\ud7ff",
)  # fmt: skip


class Packages:
    """A package as it came, or a manifest that is put into one."""

    def __init__(self, *, is_planted: bool) -> None:
        self.seen: Counter[str] = Counter()
        self._is_planted = is_planted

    def seeds(self) -> Iterator[bytes]:
        """Yield good packages and manifests, and a few that are not."""
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
            yield ZIP + zipped(files(lib=b"x" * 20), method=method)
        yield ZIP + zipped({"bot/bot.toml": MANIFEST.encode(), "bot/main.py": b""})
        for text in (MANIFEST, MANIFEST.replace("python", "node"), MANIFEST + '\n[build]\n"a.b" = [1, {c = 2}]\n'):
            yield TEXT + text.encode()

    def mutated(self, data: bytes, rng: random.Random) -> bytes | None:
        """Return a manifest with a value or line changed, or a package with one of its names or files changed."""
        if rng.random() < AFRESH:
            data = rng.choice(list(self.seeds()))
        if data[:1] == TEXT:
            lines = data[1:].decode(errors="replace").split("\n")
            place = rng.randrange(len(lines))
            key, equals, _ = lines[place].partition("=")
            lines[place] = rng.choice(
                (f"{key}{equals or '='} {rng.choice(WORDS)}",) * 2 + (rng.choice(WORDS), f"{lines[place]} # {place}")
            )
            return TEXT + "\n".join(lines).encode(errors="replace")
        try:
            with zipfile.ZipFile(BytesIO(data[1:])) as package:
                entries = {name: package.read(name) for name in package.namelist()[:20]}
        except Exception:  # noqa: BLE001 - bytes of the fuzzer's own, of which no package can be read
            return None
        name = rng.choice(list(entries) or ["x"])
        other = rng.choice((f"{name}/{name}", f"../{name}", f"/{name}", f".{name}", name.upper(), "a" * 300, "é\x01"))
        entries[other] = entries.get(name, b"") * rng.choice((0, 1, 40))
        return ZIP + zipped(entries, kind=rng.choice((0o100000, 0o100000, 0o100000, 0o120000, 0o040000)))

    def run(self, inbox: queue.SimpleQueue[bytes], outbox: queue.SimpleQueue[BaseException | None]) -> None:
        """Take inputs for ever."""
        while True:
            with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
                desk = House(Path(folder)).desks.by_name["LobbyService"]
                for _ in range(HOUSE_INPUTS):
                    data = inbox.get()
                    if self._is_planted and data[:1] == b"\x07":
                        raise ZeroDivisionError
                    with desk._packages.incoming() as place:
                        self._take(desk._intake, place / "package.zip", data)
                    self.seen["inputs"] += 1
                    outbox.put(None)

    def _take(self, intake: Intake, package: Path, data: bytes) -> None:
        content = data[1:]
        package.write_bytes(zipped({"bot.toml": content, "main.py": b""}) if data[:1] == TEXT else content)
        try:
            intake.take(package, ANN)
            self.seen["taken"] += 1
        except ServiceError:
            self.seen["refused"] += 1
