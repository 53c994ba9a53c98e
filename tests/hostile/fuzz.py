"""Coverage-guided fuzzing of what comes from outside: `python -m tests.hostile.fuzz TARGET --runs 1000000`.

Targets: `container` and `shipping`, where arbitrary bytes reach the hub in a running match of that game, on the stream
of a seat that is asked; `replay`, a replay's frames and a whole file; `journal`, entries and whole segments;
`services`, requests of all other services, judged by their desks; and `packages`, what is submitted, and manifests
in it. The corpus begins with real messages. Whatever is
raised that is no refusal ends the run with code 77, and the input is left in the corpus folder.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

READERS = ["archive", "referee", "lobby.intake", "lobby.package", "conduct.manifest"]
with atheris.instrument_imports(include=["gavelport_codecs", *(f"gavelport_server.{room}" for room in READERS)]):
    from tests.hostile import fuzz_targets

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES = 4096
STRUCTURED = 0.7
"""So many inputs are changed as messages, the others as bytes."""


def _one_thread(target: Any) -> tuple[Callable[[bytes], None], Counter[str]]:
    """Return what an input is given to: the target lives in trio, and atheris in the main thread."""
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    outbox: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def live() -> None:
        try:
            target.run(inbox, outbox)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            cause = error
            while isinstance(cause, BaseExceptionGroup):
                cause = cause.exceptions[0]
            outbox.put(cause)

    threading.Thread(target=live, daemon=True).start()

    def give(data: bytes) -> None:
        inbox.put(data)
        error = outbox.get()
        if error is not None:
            raise error

    return give, target.seen


def main() -> None:
    """Fuzz one target."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=fuzz_targets.TARGETS)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", action="store_true", help="with a decoder that crashes now and then")
    parser.add_argument("--corpus", type=Path, help="a folder for the corpus (default: a temporary one)")
    args = parser.parse_args()
    folder = args.corpus or Path(tempfile.mkdtemp(prefix="fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    target = fuzz_targets.TARGETS[args.target](is_planted=args.plant)
    for number, seed in enumerate(target.seeds()):
        (folder / f"seed-{number:04}").write_bytes(seed)
    give, seen = _one_thread(target)
    left = args.runs

    def test_one_input(data: bytes) -> None:
        nonlocal left
        give(data)
        left -= 1
        if left == 0:
            print(json.dumps(seen), flush=True)

    def custom_mutator(data: bytes, max_size: int, seed: int) -> bytes:
        rng = random.Random(seed)
        changed: bytes | None = target.mutated(data, rng) if rng.random() < STRUCTURED else None
        if changed is None or len(changed) > max_size:
            return bytes(atheris.Mutate(data, max_size))
        return changed

    flags = [f"-runs={args.runs}", f"-seed={args.seed}", f"-max_len={MAX_BYTES}", "-timeout=20", "-rss_limit_mb=2000"]
    atheris.Setup(
        [sys.argv[0], *flags, f"-artifact_prefix={folder}/", str(folder)],
        test_one_input,
        custom_mutator=custom_mutator,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
