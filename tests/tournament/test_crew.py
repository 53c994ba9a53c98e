"""Where the processes of a tournament's bots leave their logs."""

from functools import partial
from pathlib import Path

import trio
from gavelport_server.conduct.crew import Crew
from gavelport_server.conduct.hub import Hub
from gavelport_server.conduct.manifest import BotManifest, read_manifest
from gavelport_server.conduct.process import BotProcess

from tests.tournament.build import bot_folder


def bare_process(target: str, manifest: BotManifest, token: str, log: Path) -> BotProcess:
    return BotProcess(manifest, target, token, log)


async def test_a_later_run_leaves_the_logs_of_an_earlier_one(tmp_path: Path) -> None:
    bot = read_manifest(bot_folder(tmp_path, "talker", version="1.0", text="print('hello'); raise SystemExit(3)"))
    logs = tmp_path / "logs"
    names = []
    for _ in range(2):
        async with trio.open_nursery() as nursery:
            crew = Crew((bot,), 2, Hub(), partial(bare_process, "127.0.0.1:1"), logs, nursery)
            session = await crew.session(0, 1)
            nursery.cancel_scope.cancel()
        assert session.gone_reason == "did not start: hello"
        names.append(sorted(path.name for path in logs.iterdir()))
    assert names[0] == [f"talker-1.0.1.{start}.log" for start in (1, 2, 3)]
    assert names[1] == [f"talker-1.0.1.{start}.log" for start in (1, 2, 3, 4, 5, 6)]
    assert {path.read_text() for path in logs.iterdir()} == {"hello\n"}
