"""What hosted bots find installed: interpreters and packages (docs/hosting.md states them for authors).

Python is the server's own, with the SDK, the engine and what they need, and NumPy; nothing of the server. Node is that
of PATH, with grpc-js and the loader of .proto files.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

SITE = "/opt/gavelport/site"
"""Where Python packages and the .proto files are, inside."""
PACKAGES = ("gavelport", "gavelport_codecs", "gavelport_engine", "gavelport_sdk", "google", "grpc", "numpy")
EXTRAS = ("numpy.libs", "typing_extensions.py")
"""What lies beside the packages and is needed by them."""
_SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr", "/etc/ld.so.cache", "/etc/alternatives")


@dataclass(frozen=True, slots=True)
class Part:
    """A file or folder of the machine, and where a bot sees it."""

    source: Path
    inside: str


def parts(node_modules: Path | None) -> list[Part]:
    """Return everything that is shown to hosted bots, read-only.

    Args:
        node_modules: The folder with what Node bots may require; None where Node is not to be had.
    """
    shown = [Part(Path(path), path) for path in _SYSTEM if Path(path).exists() and not Path(path).is_symlink()]
    prefix = Path(sys.base_prefix).resolve()
    if not prefix.is_relative_to("/usr"):
        shown.append(Part(prefix, str(prefix)))
    shown += [Part(folder, f"{SITE}/{name}") for name in PACKAGES for folder in _folders(name)]
    beside = Path(_folders("grpc")[0]).parent
    shown += [Part(beside / name, f"{SITE}/{name}") for name in EXTRAS if (beside / name).exists()]
    if node_modules is not None:
        shown.append(Part(node_modules.resolve(), "/node_modules"))
    return shown


def links() -> list[tuple[str, str]]:
    """Return the symbolic links of the root folder, as (to what, where)."""
    return [(str(Path(path).readlink()), path) for path in _SYSTEM if Path(path).is_symlink()]


def interpreter(language: str) -> list[str] | None:
    """Return what runs a bot's entry inside, or None where it is not installed."""
    if language == "python":
        # Not the environment's own link: what it would add to the path is not there.
        return [str(Path(sys.base_prefix).resolve() / "bin" / f"python3.{sys.version_info.minor}"), "-B"]
    node = shutil.which("node")
    return None if node is None else [str(Path(node).resolve())]


def _folders(package: str) -> list[Path]:
    found = importlib.util.find_spec(package)
    places = [] if found is None else list(found.submodule_search_locations or ())
    return [Path(place).resolve() for place in places[:1]]
