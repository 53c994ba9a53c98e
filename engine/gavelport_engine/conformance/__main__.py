"""The command `python -m gavelport_engine.conformance FILE…`: one line a failure, then a count.

Exit code 0: all cases pass. 1: some do not. 2: wrong call, or a file that holds no cases.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gavelport_engine.conformance.cases import CaseFileError, failures, game_in, read_cases

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(paths: Sequence[str]) -> int:
    """Run the case files and return the exit code."""
    if not paths or any(path.startswith("-") for path in paths):
        sys.stderr.write("usage: python -m gavelport_engine.conformance FILE…\n")
        return 2
    passed = failed = 0
    unreadable = False
    for path in paths:
        try:
            cases = read_cases(path)
        except CaseFileError as error:
            sys.stderr.write(f"error: {error}\n")
            unreadable = True
            continue
        game = game_in(cases)
        for number, case in enumerate(cases, 1):
            found = failures(case, game)
            name = case.get("name", f"case {number}") if isinstance(case, dict) else f"case {number}"
            for line in found:
                sys.stdout.write(f"{path}: {name}: {line}\n")
            failed += bool(found)
            passed += not found
    sys.stdout.write(f"{passed} passed, {failed} failed\n")
    if unreadable:
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
