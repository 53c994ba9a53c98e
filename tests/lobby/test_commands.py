"""The commands on a server, against one on a real socket: what they do, print, and say when it fails."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
import trustme
from click.testing import CliRunner, Result
from gavelport_server.archive.replay import decode_replay
from gavelport_server.cli import download
from gavelport_server.lobby import door
from gavelport_server.lobby.limits import Rate
from gavelport_server.lobby.tokens import parse
from gavelport_server.main import gavelport
from gavelport_server.storage.sql import SqlStore
from structlog.testing import capture_logs

from tests.lobby.world import House, serving

TABLE = ["ant", "bee", "cow"]


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TARGET", "TOKEN", "CA", "CERT", "KEY", "SERVE_DATABASE"):
        monkeypatch.delenv(f"GAVELPORT_{name}", raising=False)


@pytest.fixture
def full(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Four rated matches, one of practice, and nobody who is slowed down."""
    for number in range(4):
        house.play(f"m{number}", TABLE, ago=timedelta(hours=5 - number), number=number)
    house.play("p0", TABLE, identity="p1")
    plenty = Rate(burst=1e9, per_s=1e9)
    monkeypatch.setattr(door, "CALLS", plenty)
    monkeypatch.setattr(door, "SPARING", {})
    return house


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(gavelport, list(arguments), env=environment)


class Shell:
    """Runs commands as one caller."""

    def __init__(self, target: str, token: str) -> None:
        self.environment = {"GAVELPORT_TARGET": target, "GAVELPORT_TOKEN": token}

    def __call__(self, *arguments: str) -> Result:
        return run(*arguments, **self.environment)

    def json(self, *arguments: str) -> Any:
        done = self(*arguments, "--json")
        assert (done.exit_code, done.stderr) == (0, ""), done.output
        return json.loads(done.stdout)


def with_server(house: House, act: Any, *tokens: str) -> Any:
    """What `act` makes of shells with these tokens."""

    async def main() -> Any:
        with capture_logs():  # which would go to the commands' stdout
            async with serving(house) as target:
                return await trio.to_thread.run_sync(lambda: act(*(Shell(target, token) for token in tokens)))

    return trio.run(main)


# -- tokens


def test_a_token_is_made_in_a_data_folder_with_its_owner_and_bot(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = run("token", "create", "--data", str(data), "--bot", "wasp", "--owner", "ann", "--note", "laptop")
    assert done.exit_code == 0, done.output
    secret = done.stdout.strip()
    presented = parse(secret)
    assert presented is not None
    assert done.stderr == (
        f"notice: {data} is a new data folder, made just now; no server has used it yet, and the token is valid on one "
        f"that runs with --data {data}\n"
        "Shown this once. Give it to wasp as GAVELPORT_TOKEN, and the server's address as GAVELPORT_TARGET: so it "
        f"plays on the ladder.\n`gavelport token revoke {presented.id}` takes it back.\n"
    )
    store = SqlStore.in_folder(data, create=False)
    assert [(bot.name, bot.owner) for bot in store.bots()] == [("wasp", "ann")]
    assert [(one.scope, one.bot, one.owner, one.note) for one in store.tokens()] == [("bot", "wasp", "ann", "laptop")]
    store.close()
    listed = run("token", "list", "--data", str(data))
    assert presented.id in listed.stdout
    assert secret[20:] not in listed.stdout
    assert run("token", "revoke", presented.id, "--data", str(data)).exit_code == 0
    (one,) = json.loads(run("token", "list", "--data", str(data), "--json").stdout)
    assert one["revoked_at"]
    assert (one["scope"], one["id"]) == ("bot", presented.id)
    again = run("token", "create", "--data", str(data), "--scope", "owner", "--owner", "ann")
    assert again.stderr.startswith("Shown this once."), "the folder is not new any more"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["create", "--bot", "x", "--owner", "y"], "where? give --data DIR on the server's own machine"),
        (["create", "--data", "d", "--server", "s:1", "--bot", "x", "--owner", "y"], "not both"),
        (["create", "--data", "d"], "a token of scope bot needs --bot NAME"),
        (["create", "--data", "d", "--bot", "x"], "whose is it? give --owner NAME"),
        (["create", "--data", "d", "--scope", "owner"], "whose is it? give --owner NAME"),
        (["create", "--data", "d", "--scope", "admin", "--owner", "y"], "is nobody's own; leave --owner out"),
        (["create", "--data", "d", "--scope", "admin", "--bot", "y"], "scope admin goes without --bot"),
        (["create", "--data", "d", "--scope", "god"], "'god' is not one of 'bot', 'owner', 'spectator', 'admin'"),
        (["revoke", "gp_0123456789abcdef_secret", "--data", "d"], "give the ID alone"),
        (["list"], "where? give --data DIR"),
        (["list", "--server", "localhost:1"], "no token: set GAVELPORT_TOKEN"),
    ],
)
def test_wrong_usage_of_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("token", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_wrong_names_and_folders_are_failures(tmp_path: Path) -> None:
    done = run("token", "create", "--data", str(tmp_path), "--bot", "No Name", "--owner", "ann")
    assert (done.exit_code, '"No Name" is no name of a bot' in done.stderr) == (1, True)
    done = run("token", "list", "--data", str(tmp_path / "nowhere"))
    assert (done.exit_code, "holds no tournament data" in done.stderr) == (1, True)


def test_a_token_made_beside_a_running_server_opens_it_at_once(tmp_path: Path) -> None:
    house = House(tmp_path, SqlStore.in_folder(tmp_path, create=True))

    def act(_: Shell) -> Any:
        made = run("token", "create", "--data", str(tmp_path), "--scope", "owner", "--owner", "dora")
        return Shell(_.environment["GAVELPORT_TARGET"], made.stdout.strip()).json("bots", "list")

    assert with_server(house, act, "") == {"bots": []}


def test_an_owner_makes_and_revokes_tokens_on_a_server(full: House) -> None:
    def act(ann: Shell, admin: Shell) -> None:
        made = ann.json("token", "create", "--bot", "ant", "--days", "7")
        assert (made["scope"], made["bot"], made["owner"]) == ("bot", "ant", "ann")
        assert {one["id"] for one in ann.json("token", "list")} == {made["id"], ann_id}
        bot = Shell(ann.environment["GAVELPORT_TARGET"], made["secret"])
        assert [one["name"] for one in bot.json("bots", "list")["bots"]] == ["ant"]
        assert ann("token", "revoke", made["id"]).exit_code == 0
        done = bot("bots", "list")
        while done.exit_code == 0:  # within a second
            done = bot("bots", "list")
        assert "the token is missing or not valid here; check GAVELPORT_TOKEN" in done.stderr
        made = admin.json("token", "create", "--bot", "moth", "--owner", "dora")
        assert (made["bot"], made["owner"]) == ("moth", "dora")

    ann = full.token("owner", owner="ann")
    ann_id = ann[3:19]
    with_server(full, act, ann, full.token("admin"))


# -- ladders and bots


def test_standings_and_reasons_are_printed(full: House) -> None:
    def act(shell: Shell) -> None:
        done = shell("ladder")
        assert done.exit_code == 0, done.output
        assert "main: container@1, 3 seats, 4 matches, 1 running" in done.stdout
        assert all(bot in done.stdout for bot in TABLE)
        assert "? under 30 matches" in done.stdout
        rows = shell.json("ladder", "main")["standings"]
        assert [row["rank"] for row in rows] == [1, 2, 3]
        done = shell("ladder", "--why", "ant")
        assert "m3" in done.stdout
        assert "before bee" in done.stdout or "behind bee" in done.stdout
        assert len(shell.json("ladder", "main", "--why", "ant", "--limit", "2")["changes"]) == 2
        done = shell("ladder", "nothing")
        assert (done.exit_code, 'there is no ladder "nothing"; there are: main' in done.stderr) == (1, True)

    with_server(full, act, full.token("spectator"))


def test_bots_are_managed(full: House) -> None:
    def act(ann: Shell) -> None:
        assert "ant" in ann("bots", "list").stdout
        assert ann("bots", "register", "wasp").stderr == "wasp is registered\n"
        assert ann("bots", "withdraw", "wasp").stderr.startswith("wasp is withdrawn; `gavelport bots reinstate wasp`")
        assert ann.json("bots", "reinstate", "wasp")["bot"]["status"] == "active"
        assert ann("bots", "rollback", "ant", "1").stderr.startswith("ant plays as version 1")
        assert ann("bots", "rollback", "ant", "--lift").stderr == "ant's newest version plays\n"
        assert "give the VERSION to roll back to, or --lift" in ann("bots", "rollback", "ant").stderr
        assert ann("bots", "challenge", "ant", "bee", "--ladder", "main").stdout == "c0ffee\n"
        faults = {bot: ann("bots", "faults", bot) for bot in ("ant", "asp")}
        assert [done.exit_code for done in faults.values()] == [0, 0]
        done = ann("bots", "withdraw", "bee")
        assert (done.exit_code, 'you have no bot "bee"' in done.stderr) == (1, True)

    with_server(full, act, full.token("owner", owner="ann"))


def test_a_server_is_run(full: House) -> None:
    def act(admin: Shell, ann: Shell) -> None:
        assert admin("admin", "status").stdout.startswith("running, version ")
        assert admin("admin", "pause", "--reason", "a new disk").exit_code == 0
        assert admin.json("admin", "status")["paused"] is True
        assert admin("admin", "resume").stderr == "resumed\n"
        assert "Missing option '--reason'" in admin("admin", "ban", "ant").stderr
        assert admin("admin", "ban", "ant", "--reason", "stalls").exit_code == 0
        assert admin("admin", "unban", "ant", "--reason", "mended").exit_code == 0
        assert admin("admin", "void", "m0", "--reason", "a bug").stderr.startswith("m0 is void")
        assert admin("admin", "rerun", "m0").stdout == "again\n"
        assert admin("admin", "drain").exit_code == 0
        actions = [one["action"] for one in admin.json("admin", "actions")["actions"]]
        assert actions == ["drain", "rerun", "void", "unban", "ban", "resume", "pause"]
        assert "stalls" in admin("admin", "actions").stdout
        done = ann("admin", "status")
        words = ": this takes a token of scope admin; this one is of scope owner"
        assert (done.exit_code, words in done.stderr) == (1, True)

    with_server(full, act, full.token("admin"), full.token("owner", owner="ann"))


# -- replays


@pytest.mark.parametrize("one_by_one", [0, 30], ids=["stream", "one by one"])
def test_replays_are_downloaded_and_only_what_is_missing_again(
    full: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_by_one: int
) -> None:
    monkeypatch.setattr(download, "ONE_BY_ONE", one_by_one)
    to = tmp_path / "to"

    def act(ann: Shell) -> None:
        first = ann.json("replays", "download", "--bot", "ant", "--to", str(to))
        assert first == {"downloaded": 4, "present": 0, "sealed": 0, "gone": 0, "to": str(to)}
        assert sorted(path.name for path in to.iterdir()) == [f"m{number}.zst" for number in range(4)]
        assert any(
            isinstance(one.note, str) and one.note for one in decode_replay((to / "m0.zst").read_bytes()).choices
        )
        verified = ann("replays", "verify", *map(str, to.iterdir()))
        assert (verified.exit_code, "4 replays right" in verified.output) == (0, True)
        times = {path.name: path.stat().st_mtime_ns for path in to.iterdir()}
        (to / "m1.zst").write_bytes((to / "m2.zst").read_bytes())
        (to / "m2.zst").write_bytes(b"half")
        (to / "m3.zst").unlink()
        again = ann("replays", "download", "--bot", "ant", "--to", str(to))
        assert again.stdout == f"3 replays downloaded to {to}, 1 there already\n"
        assert (to / "m0.zst").stat().st_mtime_ns == times["m0.zst"]
        assert decode_replay((to / "m1.zst").read_bytes()).header.match_id == "m1"
        full.replays.path("m2").unlink()
        (to / "m2.zst").unlink()
        gone = ann("replays", "download", "--to", str(to))
        assert gone.stdout.endswith("3 there already, 1 not kept by the server any more\n")
        assert ann.json("replays", "download", "--match", "p0", "--to", str(to))["downloaded"] == 1
        assert not [path for path in to.iterdir() if path.suffix != ".zst"]

    with_server(full, act, full.token("owner", owner="ann"))


def test_matches_of_a_server_are_listed(full: House) -> None:
    def act(shell: Shell) -> None:
        target = shell.environment["GAVELPORT_TARGET"]
        listed = shell.json("replays", "list", "--server", target)
        assert [one["match"] for one in listed] == ["p0", "m3", "m2", "m1", "m0"]
        assert listed[0]["decisions"] > 0
        assert len(shell.json("replays", "list", "--server", target, "--limit", "2")) == 2
        assert shell.json("replays", "list", "--server", target, "--bot", "asp") == []
        assert "bots by rank" in shell("replays", "list", "--server", target).stdout
        both = shell("replays", "list", "--server", target, "--bot", "a", "--bot", "b")
        assert (both.exit_code, "give one --bot" in both.stderr) == (2, True)

    with_server(full, act, full.token("spectator"))


def test_what_the_user_got_wrong_is_said(full: House, tmp_path: Path) -> None:
    def act(shell: Shell) -> None:
        for option in ("--since", "--until"):
            done = shell("replays", "download", option, "yesterday", "--to", str(tmp_path / "x"))
            words = f"Invalid value for '{option}': 'yesterday' is no date or time; write it as 2026-03-01 or"
            assert (done.exit_code, words in done.stderr) == (2, True), done.stderr
        done = shell("replays", "download", "--version", "1", "--to", str(tmp_path / "x"))
        assert (done.exit_code, "--version goes with --bot" in done.stderr) == (2, True)
        assert not (tmp_path / "x").exists()
        done = shell("replays", "download", "--match", "nothing", "--to", str(tmp_path / "x"))
        words = 'no match "nothing" is over here; `gavelport replays list --server TARGET` tells which are'
        assert (done.exit_code, words in done.stderr) == (1, True)
        done = shell("ladder", "main", "--why", "nobody")
        words = 'no bot "nobody" has played on main; `gavelport ladder main` tells who has'
        assert (done.exit_code, words in done.stderr) == (1, True)
        (tmp_path / "file").write_text("")
        done = shell("replays", "download", "--to", str(tmp_path / "file"))
        assert (done.exit_code, "a file stands where a folder is expected" in done.stderr) == (1, True)

    with_server(full, act, full.token("spectator"))


def test_a_ladder_or_bot_that_is_not_there_is_no_empty_download(full: House, tmp_path: Path) -> None:
    def act(ann: Shell, spectator: Shell) -> None:
        get = ("replays", "download", "--to", str(tmp_path / "x"))
        nothing = f"0 replays downloaded to {tmp_path / 'x'}\n"
        for shell in (ann, spectator):
            done = shell(*get, "--ladder", "nope")
            assert (done.exit_code, done.stdout) == (1, "")
            assert 'there is no ladder "nope"; there are: main' in done.stderr
            for more in ([], ["--ladder", "main"], ["--since", "2026-01-01"]):
                done = shell(*get, "--bot", "antx", *more)
                assert (done.exit_code, done.stdout) == (1, "")
                assert 'no bot "antx" has played here; `gavelport ladder` tells who has' in done.stderr
            assert shell(*get, "--bot", "ant", "--until", "2001-01-01").stdout == nothing
            assert shell(*get, "--ladder", "main", "--until", "2001-01-01").stdout == nothing
        assert ann("bots", "register", "fresh").exit_code == 0
        assert ann(*get, "--bot", "fresh").stdout == nothing

    with_server(full, act, full.token("owner", owner="ann"), full.token("spectator"))


# -- the way there


COMMANDS = [
    ["ladder"],
    ["bots", "list"],
    ["admin", "status"],
    ["token", "list"],
    ["replays", "download", "--to", "x"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_server_that_cannot_be_reached_is_told_with_the_way_out(command: list[str]) -> None:
    done = run(*command, GAVELPORT_TARGET="127.0.0.1:1", GAVELPORT_TOKEN="x")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error: 127.0.0.1:1 cannot be reached" in done.stderr
    assert "check --server or GAVELPORT_TARGET" in done.stderr


def test_a_socket_has_no_port_and_is_no_wrong_usage() -> None:
    done = run("ladder", GAVELPORT_TARGET="unix:/nowhere/at/all", GAVELPORT_TOKEN="x")
    assert (done.exit_code, "error: unix:/nowhere/at/all cannot be reached" in done.stderr) == (1, True)


@pytest.mark.parametrize("has_tls", [False, True], ids=["plain", "TLS"])
def test_a_web_server_is_told_from_ours(tmp_path: Path, has_tls: bool) -> None:
    """As its own pages, on the other of the two ports."""
    environment = {"GAVELPORT_TOKEN": "x"}
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    if has_tls:
        authority = trustme.CA()
        authority.issue_cert("127.0.0.1").configure_cert(context)
        context.set_alpn_protocols(["http/1.1"])
        authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
        environment["GAVELPORT_CA"] = str(tmp_path / "ca.pem")

    def answer(stream: socket.socket) -> None:
        # The client goes as soon as it knows.
        with suppress(OSError), context.wrap_socket(stream, server_side=True) if has_tls else stream as web:
            web.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            web.recv(1000)

    def serve() -> None:
        with suppress(OSError):
            while True:
                answer(listener.accept()[0])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = f"127.0.0.1:{listener.getsockname()[1]}"
        server = threading.Thread(target=serve)
        server.start()
        done = run("ladder", GAVELPORT_TARGET=target, **environment)
        listener.shutdown(socket.SHUT_RDWR)
        server.join()
    assert done.exit_code == 1
    assert done.stderr == (
        f"error: no gavelport server answers at {target}, but a web server; check --server or GAVELPORT_TARGET: "
        "`gavelport serve` prints two addresses, and this takes the one for bots\n"
    )


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "no server: give --server HOST:PORT, or set GAVELPORT_TARGET"),
        ({"TARGET": "localhost:1"}, "no token: set GAVELPORT_TOKEN"),
        ({"TARGET": "localhost"}, 'GAVELPORT_TARGET should be HOST:PORT, as 127.0.0.1:7878, not "localhost"'),
        ({"TARGET": "[::1]"}, 'should be HOST:PORT, as 127.0.0.1:7878, not "[::1]"'),
        ({"TARGET": "localhost:http"}, 'should be HOST:PORT, as 127.0.0.1:7878, not "localhost:http"'),
        ({"TARGET": "http://localhost:1"}, "is no web address; give the one that serve prints for bots"),
        ({"TARGET": "localhost:1", "TOKEN": "a\nb"}, "GAVELPORT_TOKEN holds signs that no token has"),
        ({"TARGET": "localhost:1", "TOKEN": "x", "CERT": "c"}, "GAVELPORT_CERT and GAVELPORT_KEY go together"),
    ],
)
def test_what_is_missing_is_asked_for(environment: dict[str, str], words: str) -> None:
    done = run("ladder", **{f"GAVELPORT_{name}": text for name, text in environment.items()})
    assert (done.exit_code, words in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("command", "scope"),
    [
        (["bots", "list"], "--scope owner --owner NAME"),
        (["ladder"], "--scope owner --owner NAME"),
        (["admin", "status"], "--scope admin"),
        (["admin", "pause"], "--scope admin"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_a_missing_token_is_asked_for_with_the_scope_that_fits(command: list[str], scope: str) -> None:
    done = run(*command, GAVELPORT_TARGET="localhost:1")
    assert (done.exit_code, f"`gavelport token create {scope} --data DIR` makes one" in done.stderr) == (2, True)


def test_a_ca_file_that_is_not_there_is_a_failure() -> None:
    done = run("ladder", GAVELPORT_TARGET="localhost:1", GAVELPORT_TOKEN="x", GAVELPORT_CA="nowhere.pem")
    assert (done.exit_code, "nowhere.pem cannot be read: No such file or directory" in done.stderr) == (1, True)


def test_an_interrupt_ends_a_command_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gavelport_server.transport.client.Client.call", interrupted)
    done = run("ladder", GAVELPORT_TARGET="localhost:1", GAVELPORT_TOKEN="x")
    assert (done.exit_code, done.stderr, done.stdout) == (130, "\nStopped.\n", "")


def test_no_command_takes_a_token_as_an_argument() -> None:
    assert run("ladder", "--token", "x").exit_code == 2
