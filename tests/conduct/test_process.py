"""Bot processes, with real processes. None of these tests waits longer than what it waits for takes."""
# ruff: noqa: ASYNC110, ASYNC220, ASYNC240  processes and files are looked at until they are as they should be

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio
from gavelport_server.conduct import keeper, process
from gavelport_server.conduct.keeper import HEAD_BYTES, TAIL_BYTES, Log
from gavelport_server.conduct.manifest import BotManifest
from gavelport_server.conduct.process import BotProcess, BotStartError

PATIENCE_S = 20.0


def manifest(folder: Path, source: str, language: str = "python") -> BotManifest:
    """A bot with a main file."""
    entry = "main.py" if language == "python" else "main.js"
    (folder / entry).write_text(textwrap.dedent(source))
    return BotManifest("bot", "1", language, entry, ("container",), folder, "")  # type: ignore[arg-type]


@contextlib.asynccontextmanager
async def running(folder: Path, source: str) -> AsyncIterator[BotProcess]:
    """A bot process whose source runs."""
    async with BotProcess(manifest(folder, source), "127.0.0.1:1", "secret", folder / "logs" / "bot.log") as bot:
        with trio.fail_after(PATIENCE_S):
            yield bot


async def appears(path: Path) -> str:
    """The text of a file, once it is there and has a line."""
    while not path.exists() or not path.read_text().endswith("\n"):
        await trio.sleep(0.005)
    return path.read_text()


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except FileNotFoundError:
        return False


async def are_gone(*pids: int) -> None:
    """Wait until none of the processes runs."""
    while any(is_alive(pid) for pid in pids):
        await trio.sleep(0.005)


# A bot that writes its process ids down, with a child, a grandchild that left the group, and waits.
FAMILY = """
    import os, signal, subprocess, sys, time
    sleeper = "import time; time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", sleeper])
    astray = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', '%s'], "
         "start_new_session=True); print(p.pid, flush=True)" % sleeper],
        stdout=subprocess.PIPE, text=True, start_new_session=True)
    grandchild = int(astray.stdout.readline())
    if STUBBORN: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open("pids", "w") as file:
        file.write(f"{os.getpid()} {child.pid} {grandchild}\\n")
    time.sleep(600)
"""


async def test_a_bot_finds_the_referee_in_its_environment(tmp_path: Path) -> None:
    source = """
        import os
        print(os.environ["GAVELPORT_TARGET"], os.environ["GAVELPORT_TOKEN"], os.getcwd(), os.getpgrp() == os.getpid())
    """
    async with running(tmp_path, source) as bot:
        assert await bot.wait() == 0
    assert (tmp_path / "logs" / "bot.log").read_text() == f"127.0.0.1:1 secret {tmp_path} True\n"
    assert bot.returncode == 0


async def test_a_bot_finds_the_proto_files_by_its_environment(tmp_path: Path) -> None:
    source = """
        import os, pathlib
        assert (pathlib.Path(os.environ["GAVELPORT_PROTO_DIR"]) / "gavelport/v1/referee.proto").is_file()
    """
    async with running(tmp_path, source) as bot:
        assert await bot.wait() == 0


@pytest.mark.parametrize(
    ("source", "returncode"),
    [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", -9), ("import os; os.abort()", -6)],
)
async def test_how_a_bot_ended_is_told(tmp_path: Path, source: str, returncode: int) -> None:
    async with running(tmp_path, source) as bot:
        assert await bot.wait() == returncode


async def test_what_went_wrong_is_found_in_the_log(tmp_path: Path) -> None:
    source = """
        print("starting")
        import nothing_of_this_name
    """
    async with running(tmp_path, source) as bot:
        assert await bot.wait() == 1
    assert bot.first_error_line == "ModuleNotFoundError: No module named 'nothing_of_this_name'"


async def test_what_stands_behind_a_traceback_is_an_error_whatever_its_name(tmp_path: Path) -> None:
    source = """
        class Overdrawn(Exception): ...
        print("starting")
        try:
            raise Overdrawn("by 3")
        finally:
            print("ending")
    """
    async with running(tmp_path, source) as bot:
        assert await bot.wait() == 1
    assert bot.first_error_line == "Overdrawn: by 3"


async def test_without_an_error_the_first_line_has_to_do(tmp_path: Path) -> None:
    async with running(tmp_path, "print(); print('no config found'); raise SystemExit(2)") as bot:
        await bot.wait()
    assert bot.first_error_line == "no config found"
    assert BotProcess(bot.manifest, "", "", tmp_path / "none.log").first_error_line == ""


async def test_a_bot_is_asked_to_end_first(tmp_path: Path) -> None:
    source = """
        import signal, sys, time
        def end(*_):
            print("bye")
            sys.exit(0)
        signal.signal(signal.SIGTERM, end)
        open("ready", "w").write("\\n")
        time.sleep(600)
    """
    async with running(tmp_path, source) as bot:
        await appears(tmp_path / "ready")
        await bot.stop()
        assert bot.returncode == 0
    assert bot.log_path.read_text() == "bye\n"


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_stopped_bot_leaves_nothing_behind(
    tmp_path: Path, stubborn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE_S", 0.2)
    async with running(tmp_path, FAMILY.replace("STUBBORN", str(stubborn))) as bot:
        pids = [int(pid) for pid in (await appears(tmp_path / "pids")).split()]
        assert all(map(is_alive, pids))
        await bot.stop()
        assert bot.returncode == (-signal.SIGKILL if stubborn else -signal.SIGTERM)
        await are_gone(*pids)


async def test_a_bot_that_ends_takes_its_children_along(tmp_path: Path) -> None:
    async with running(tmp_path, FAMILY.replace("STUBBORN", "False")) as bot:
        pids = [int(pid) for pid in (await appears(tmp_path / "pids")).split()]
        os.kill(pids[0], signal.SIGKILL)
        assert await bot.wait() == -signal.SIGKILL
        await are_gone(*pids)


async def test_cancelling_stops_the_bot(tmp_path: Path) -> None:
    with trio.CancelScope() as scope:
        async with running(tmp_path, FAMILY.replace("STUBBORN", "False")):
            pids = [int(pid) for pid in (await appears(tmp_path / "pids")).split()]
            scope.cancel()
            await trio.sleep_forever()
    with trio.fail_after(PATIENCE_S):
        await are_gone(*pids)


async def test_a_killed_keeper_takes_the_bot_along(tmp_path: Path) -> None:
    async with running(tmp_path, FAMILY.replace("STUBBORN", "False")) as bot:
        pids = [int(pid) for pid in (await appears(tmp_path / "pids")).split()]
        assert bot._keeper is not None
        bot._keeper.kill()
        await are_gone(pids[0])
        for pid in pids[1:]:  # whose keeper is no more
            os.kill(pid, signal.SIGKILL)


SERVER = """
    import sys, trio
    from pathlib import Path
    from gavelport_server.conduct.manifest import BotManifest
    from gavelport_server.conduct.process import BotProcess
    folder = Path(sys.argv[1])
    async def main():
        bot = BotManifest("bot", "1", "python", "main.py", ("container",), folder, "")
        async with BotProcess(bot, "127.0.0.1:1", "secret", folder / "bot.log"):
            await trio.sleep_forever()
    trio.run(main)
"""


async def test_no_bot_survives_a_killed_server(tmp_path: Path) -> None:
    manifest(tmp_path, FAMILY.replace("STUBBORN", "False"))
    server = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SERVER), str(tmp_path)])
    try:
        with trio.fail_after(PATIENCE_S):
            pids = [int(pid) for pid in (await appears(tmp_path / "pids")).split()]
            assert all(map(is_alive, pids))
            server.kill()
            await are_gone(*pids)
    finally:
        server.kill()
        server.wait()


@pytest.mark.long
async def test_a_bot_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    async with running(tmp_path, "import time; time.sleep(600)") as bot:
        await trio.sleep(12)  # trio's worker threads end after 10 s without work
        assert bot.returncode is None


async def test_a_bot_whose_language_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bot = BotProcess(manifest(tmp_path, "", "node"), "", "", tmp_path / "bot.log")
    with pytest.raises(BotStartError, match="no node is on PATH; install Node"):
        await bot.start()
    await bot.stop()
    assert bot.returncode is None


async def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    bot = BotProcess(manifest(tmp_path, ""), "", "", tmp_path / "logs" / "bot.log")
    with pytest.raises(BotStartError, match="bot: cannot be started"):
        await bot.start()


# -- the log


async def test_a_bot_that_prints_without_end_does_not_fill_the_disk(tmp_path: Path) -> None:
    source = """
        import sys
        for number in range(4000):
            sys.stdout.write(f"{number:06} " + "x" * 1000 + "\\n")
        sys.stderr.write("the end\\n")
    """
    async with running(tmp_path, source) as bot:
        assert await bot.wait() == 0
    text = bot.log_path.read_text()
    assert HEAD_BYTES < len(text) < HEAD_BYTES + TAIL_BYTES + 100
    assert text.startswith("000000 xxx")
    assert "003999" in text
    assert text.endswith("the end\n")
    assert " bytes left out ...]" in text


def test_the_log_is_bounded_at_any_time_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = Log(path.open("w+b", buffering=0), head_bytes=100, tail_bytes=50)
    written = b""
    for number in range(500):
        data = f"{number},".encode() * (number % 40)
        log.write(data)
        written += data
        assert path.stat().st_size <= 100 + 2 * 50 + 60
    log.close()
    head, _, rest = path.read_bytes().partition(b"\n[... ")
    left_out, _, tail = rest.partition(b" bytes left out ...]\n")
    assert head == written[:100]
    assert tail == written[-50:]
    assert int(left_out) == len(written) - 150


def test_a_log_within_its_bounds_is_whole(tmp_path: Path) -> None:
    log = Log((tmp_path / "log").open("w+b", buffering=0), head_bytes=100, tail_bytes=50)
    for _ in range(15):
        log.write(b"0123456789")
    log.close()
    assert (tmp_path / "log").read_bytes() == b"0123456789" * 15


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
def test_a_full_disk_costs_the_log_and_not_the_bot() -> None:
    log = Log(Path("/dev/full").open("w+b", buffering=0))  # noqa: SIM115  the log closes it
    with pytest.raises(OSError, match="No space left"):
        log._write(b"x")
    log.write(b"x" * 10_000_000)
    log.close()


def test_a_command_that_is_not_there_is_told_in_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = subprocess.run(
        [sys.executable, "-I", "-S", keeper.__file__, str(log), "1", "no-such-program"],
        check=False,
        stdin=subprocess.PIPE,
        timeout=PATIENCE_S,
    )
    assert done.returncode == keeper.NOT_STARTED
    assert log.read_text() == "cannot start no-such-program: No such file or directory\n"


def test_a_keeper_starts_fast(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", "-X", "importtime", keeper.__file__, str(tmp_path / "log"), "1", "true"]
    server, held = os.pipe()
    with os.fdopen(server), os.fdopen(held):
        done = subprocess.run(command, check=True, stdin=server, capture_output=True, text=True, timeout=PATIENCE_S)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "subprocess" in imported
    assert not any(name.startswith("gavelport") for name in imported)  # and so nothing of what ours needs
