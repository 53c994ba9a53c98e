"""`gavelport serve` as a process: what it prints, how it ends, what it refuses, and what its log never holds."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
import trustme
from gavelport_server.cli.serve import _tell
from gavelport_server.conduct.service import Serving
from gavelport_server.serving import read_serving
from gavelport_server.storage.sql import FILE
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from tests.serve.servers import GAVELPORT, Server, command, serving

PASSWORD = "canary-5d0e"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve") / "data") as server:
        yield server


def refused(data: Path, *arguments: str) -> tuple[int, str]:
    """Start a server that cannot; return its exit code and what it printed."""
    done = subprocess.run([*command(data), *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_it_says_where_it_is_and_what_to_do_next(server: Server) -> None:
    assert re.fullmatch(r"127\.0\.0\.1:\d+", server.target)
    assert "  ladders      container (container@1, 4 seats), shipping (shipping@1, 4 seats)\n" in server.printed
    assert "  gavelport token create --data " in server.printed


def test_where_bots_are_hosted_it_says_how_an_author_gets_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    settings = read_serving(None, environment={}, flags={("data",): "here"})
    hosting: Any = SimpleNamespace(process=object(), most=2, words="in sandboxes")
    not_hosting: Any = SimpleNamespace(process=None)
    for boxes in (not_hosting, hosting):
        _tell(settings, [], boxes, Serving("127.0.0.1:1", "http://127.0.0.1:2", ()))
    without, _, with_hosting = capsys.readouterr().out.rpartition("Gavelport serves")
    line = "  gavelport token create --data here --scope owner --owner NAME\n"
    assert (line in without, line in with_hosting) == (False, True)


def test_all_addresses_answer(server: Server) -> None:
    assert server.get("/health") == {"status": "ok", "problems": [], "notices": []}
    assert [one["name"] for one in server.get("/api/v1/ladders")["ladders"]] == ["container", "shipping"]
    assert server.get("/api/v1/ladders/container/standings")["total"] == 0
    assert server.get("/api/v1/ladders/nothing/standings")["code"] == "not_found"
    assert server.get("/api/v1/matches") == {"matches": [], "next_page_token": ""}
    assert server.get("/api/v1/running") == {"matches": []}
    assert server.metric("gavelport_running_matches") == 0
    assert server.metric("process_open_fds") > 3


def test_for_development_it_tells_its_services(tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--dev") as server, grpc.insecure_channel(server.target) as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        answer = next(stub.ServerReflectionInfo(iter([asked]), timeout=20))
    names = {one.name for one in answer.list_services_response.service}
    assert {"gavelport.v1.RefereeService", "gavelport.v1.AdminService"} <= names


def test_its_folder_is_its_own(server: Server, tmp_path: Path) -> None:
    data = server.log.parent / "data"
    code, said = refused(data)
    assert code == 1
    assert said.startswith(f"error: another run-tournament or serve (process {server.process.pid}) plays in {data}")
    done = subprocess.run(
        [str(GAVELPORT), "run-tournament", "--rounds", "1", "--data", str(data)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.long
def test_an_address_in_use_is_told(server: Server, tmp_path: Path) -> None:
    code, said = refused(tmp_path / "data", "--listen", server.target)
    words = "it is taken, or is no address of here; give another with --listen"
    assert (code, said) == (1, f"error: cannot listen on '{server.target}': {words}\n")
    http = server.url.removeprefix("http://")
    code, said = refused(tmp_path / "data", "--http", http)
    assert (code, said) == (
        1,
        f"error: cannot listen on '{http}' for HTTP: Address already in use; give another with --http\n",
    )


def test_a_signal_ends_it_each_start_has_the_next_epoch_and_a_damaged_journal_none(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for epoch, number in ((1, signal.SIGTERM), (2, signal.SIGINT)):
        with serving(data) as server:
            assert server.stop(number) == 0
        events = [line for line in server.events() if line["event"] in ("serving", "draining", "stopped")]
        assert [line["event"] for line in events][-3:] == ["serving", "draining", "stopped"]
        assert events[-3]["epoch"] == epoch
    (segment,) = (data / "journal").iterdir()
    segment.write_bytes(b"\0" * 200)
    code, said = refused(data)
    assert code == 1
    assert said.startswith(f"error: {segment}: ")
    assert "Restore the data folder from a backup" in said


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).write_bytes(b"no database at all" * 100)
    code, said = refused(tmp_path / "data")
    assert code == 1
    assert said.startswith("error: ")
    assert "Traceback" not in said


def test_a_database_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"postgresql://me:{PASSWORD}@127.0.0.1:{unused.getsockname()[1]}/ladders"
        (tmp_path / "serve.toml").write_text(f'database = "{url}"\n')
        code, said = refused(tmp_path / "data", "--config", str(tmp_path / "serve.toml"))
    assert code == 1
    assert said.startswith("error: ")
    assert PASSWORD not in said + (tmp_path / "serve.log").read_text()


def test_wrong_settings_are_all_told(tmp_path: Path) -> None:
    (tmp_path / "serve.toml").write_text('colour = 1\nlisten = "0.0.0.0:1"\n')
    code, said = refused(tmp_path / "data", "--config", str(tmp_path / "serve.toml"), "--drain-s", "soon")
    assert code == 2
    assert "  colour: unknown key" in said
    assert "  --drain-s: should be a number, not 'soon'" in said
    assert not (tmp_path / "data").exists()


def test_the_settings_in_force_are_printed(tmp_path: Path) -> None:
    done = subprocess.run(
        [*command(tmp_path / "data"), "--print-config", "--sample-bots", "shipper"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 'sample_bots = ["shipper"]' in done.stdout
    assert not (tmp_path / "data").exists()


def test_a_sample_bot_of_another_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "serve.toml").write_text('[[ladder]]\nname = "c"\ngame = "container"\nseats = 4\n')
    code, said = refused(
        tmp_path / "data", "--config", str(tmp_path / "serve.toml"), "--sample-bots", "shipping_filler"
    )
    assert (code, said) == (2, "error: sample_bots: shipping_filler plays none of the ladders' games\n")


@pytest.mark.long
def test_with_a_certificate_both_ports_are_tls_and_the_house_plays_all_the_same(tmp_path: Path) -> None:
    ca = trustme.CA()
    certificate = ca.issue_cert("127.0.0.1")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    files = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    with serving(tmp_path / "data", *files, "--sample-bots", "random_legal") as server:
        server.trust = ssl.create_default_context()
        ca.configure_trust(server.trust)
        assert server.url.startswith("https://127.0.0.1:")
        server.wait_until(lambda: server.metric("gavelport_connected_bots") == 1)
        host, _, port = server.target.rpartition(":")
        with (
            socket.create_connection((host, int(port)), timeout=10) as plain,
            server.trust.wrap_socket(plain, server_hostname=host) as secure,
        ):
            assert secure.version() in ("TLSv1.2", "TLSv1.3")
        assert server.stop() == 0


def test_its_log_is_lines_of_json(server: Server) -> None:
    assert all({"event", "level", "timestamp"} <= line.keys() for line in server.events())
    assert json.loads(server.log.read_text().splitlines()[0])["event"] == "serving"
