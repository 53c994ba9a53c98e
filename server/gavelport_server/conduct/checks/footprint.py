"""What a bot's folder takes of the machine."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Files:
    """A bot's folder, without what is made by tools (`node_modules`, `__pycache__`) and what is hidden."""

    count: int
    size_bytes: int
    largest: str
    """The entry of the folder, with all below it, that takes most."""
    largest_bytes: int
    links_outside: tuple[str, ...]
    """Links that lead out of the folder."""


_LEFT_OUT = frozenset({"node_modules", "__pycache__"})


def files_of(folder: Path) -> Files:
    """Return what is in a bot's folder."""
    sizes: Counter[str] = Counter()
    count = 0
    outside = []
    root = folder.resolve()
    for at, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and not name.startswith("."))
        for name in [*folders, *sorted(names)]:
            path = Path(at, name)
            relative = path.relative_to(root)
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                outside.append(relative.as_posix())
            elif path.is_file() and not name.startswith("."):
                count += 1
                sizes[relative.parts[0]] += path.stat().st_size
    largest, largest_bytes = sizes.most_common(1)[0] if sizes else ("", 0)
    return Files(count, sizes.total(), largest, largest_bytes, tuple(outside))
