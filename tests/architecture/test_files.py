"""Every file is on the map, small, and free of what belongs to one machine."""

import re
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, project_files, room_modules

LONGEST = 500

# Put together here, so that this file does not trip its own check.
MACHINE_PATH = re.compile(
    "|".join(
        (
            re.escape("../" + "shared"),
            r"(?<![\w.-])/(?:work|root|home|Users)/[\w.]",
            "files" + r"\.pythonhosted\.org",
            "registry" + r"\.npmjs\.org",
        )
    )
)


def mapped_paths(document: str) -> set[str]:
    """Paths that a document's section "Map" names.

    A heading of the section names a folder (``### `engine/gavelport_engine/` ``); a list item
    under it opens with a path below that folder (``- `rng.py`: ...``). An item under a heading
    without a folder counts from the root.
    """
    paths: set[str] = set()
    section = folder = ""
    for line in document.splitlines():
        if line.startswith("## "):
            section, folder = line[3:].strip(), ""
        elif section == "Map" and line.startswith("###"):
            named = re.search(r"`([^`]+/)`", line)
            folder = named[1] if named else ""
            paths.add(folder)
        elif section == "Map" and (item := re.match(r"- `([^`]+)`", line)):
            paths.add(folder + item[1])
    return paths - {""}


def unmapped(modules: list[Path], document: str) -> list[str]:
    """Modules that the map does not name; a package's ``__init__.py`` is named by its folder."""
    paths = mapped_paths(document)
    return [
        module.as_posix()
        for module in modules
        if module.as_posix() not in paths
        and not (module.name == "__init__.py" and f"{module.parent.as_posix()}/" in paths)
    ]


def machine_paths(text: str) -> list[str]:
    """Lines, with their numbers, that name a place on somebody's machine."""
    lines = enumerate(text.splitlines(), 1)
    return [f"{number}: {line.strip()}" for number, line in lines if MACHINE_PATH.search(line)]


def too_long(text: str) -> bool:
    """Whether a Python file has more lines than a reader should be asked to hold."""
    return len(text.splitlines()) > LONGEST


def test_every_module_is_on_the_map() -> None:
    document = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    missing = unmapped(room_modules(), document)
    assert not missing, "not in the section Map of ARCHITECTURE.md:\n" + "\n".join(missing)


def test_the_map_names_nothing_that_is_gone() -> None:
    document = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert [path for path in sorted(mapped_paths(document)) if not (ROOT / path).exists()] == []


def test_the_map_is_read_as_written() -> None:
    document = (
        "## Map\n- `Makefile`: commands\n### `sdk/x/`, the SDK\n- `bot.py`: a bot\n"
        "- `env/flat.py`\n## Decisions\n- `sdk/x/other.py`\n"
    )
    assert mapped_paths(document) == {"Makefile", "sdk/x/", "sdk/x/bot.py", "sdk/x/env/flat.py"}
    modules = [Path("sdk/x") / name for name in ("__init__.py", "bot.py", "other.py")]
    assert unmapped(modules, document) == ["sdk/x/other.py"]
    assert unmapped([Path("sdk/x/env/__init__.py")], document) == ["sdk/x/env/__init__.py"]


def test_no_file_names_a_place_on_one_machine() -> None:
    found = {
        str(path): lines
        for path in project_files()
        if (lines := machine_paths((ROOT / path).read_bytes().decode("utf-8", "replace")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "planted",
    [
        "see .." + "/shared/rules.md",
        "cd /" + "work/main && make",
        'open("/' + 'home/ann/x")',
        "/" + "root/.cache",
        "https://registry" + ".npmjs.org/x/-/x-1.tgz",
    ],
)
def test_a_machine_path_is_caught(planted: str) -> None:
    assert machine_paths(f"fine\n{planted}\n") == [f"2: {planted}"]


def test_relative_and_web_paths_pass() -> None:
    assert machine_paths("../sdk, docs/work/x, https://example.org/home/x and ./root/x") == []


def test_no_python_file_is_too_long() -> None:
    python = [path for path in project_files() if path.suffix == ".py"]
    assert python
    assert [str(path) for path in python if too_long((ROOT / path).read_text("utf-8"))] == []


def test_a_long_file_is_caught() -> None:
    assert not too_long("x\n" * LONGEST)
    assert too_long("x\n" * (LONGEST + 1))
