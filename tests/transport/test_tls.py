"""TLS on real sockets: authorities made for the test, certificates that are replaced, and whoever has none."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trio
import trustme
from gavelport.v1 import lobby_pb2
from gavelport_server.transport.bridge import serve
from gavelport_server.transport.client import Client, Trust
from gavelport_server.transport.home import TransportError
from gavelport_server.transport.link import ServiceError
from gavelport_server.transport.services import Services
from gavelport_server.transport.tls import Tls, is_local
from grpc_health.v1 import health_pb2, health_pb2_grpc
from structlog.testing import capture_logs

from tests.transport.desks import Lobby, OpenDoor
from tests.transport.worlds import Recorder

PATIENCE_S = 10


@dataclass(frozen=True)
class Files:
    """A server's files, and an authority's."""

    tls: Tls
    ca: trustme.CA
    folder: Path

    def issue(self, ca: trustme.CA | None = None) -> None:
        """Put another certificate in the place of the server's."""
        issued = (ca or self.ca).issue_cert("localhost")
        for path, text in ((self.tls.key, issued.private_key_pem), (self.tls.cert, issued.cert_chain_pems[0])):
            text.write_to_path(str(self.folder / "new"))
            (self.folder / "new").replace(path)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    made = Files(Tls(tmp_path / "cert.pem", tmp_path / "key.pem"), trustme.CA(), tmp_path)
    made.issue()
    return made


def health(
    target: str, ca: trustme.CA | None, own: trustme.LeafCert | None = None, patience_s: float = PATIENCE_S
) -> str:
    """What a client of the health service is told: `SERVING`, or gRPC's word for the failure."""
    if ca is None:
        channel = grpc.insecure_channel(target)
    else:
        key, cert = (own.private_key_pem.bytes(), own.cert_chain_pems[0].bytes()) if own else (None, None)
        credentials = grpc.ssl_channel_credentials(ca.cert_pem.bytes(), key, cert)
        options = [("grpc.use_local_subchannel_pool", 1)]
        channel = grpc.secure_channel(target.replace("127.0.0.1", "localhost"), credentials, options)
    with channel:
        try:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            status = stub.Check(health_pb2.HealthCheckRequest(), timeout=patience_s).status
        except grpc.RpcError as error:
            return str(error.code().name)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(status)


def served(tls: Tls, act: Callable[[str], Any]) -> Any:
    """What `act` returns of a server with this certificate."""

    async def main() -> Any:
        async with serve(Recorder(), tls=tls) as bridge:
            return await trio.to_thread.run_sync(act, bridge.target)

    return trio.run(main)


def test_a_client_that_trusts_the_authority_is_served(files: Files) -> None:
    assert served(files.tls, lambda target: health(target, files.ca)) == "SERVING"


def test_an_address_of_everywhere_is_served_with_a_certificate(files: Files) -> None:
    async def main() -> str:
        async with serve(Recorder(), address="0.0.0.0:0", tls=files.tls) as bridge:
            target = bridge.target.replace("0.0.0.0", "127.0.0.1")
            return await trio.to_thread.run_sync(health, target, files.ca)

    assert trio.run(main) == "SERVING"


@pytest.mark.parametrize("trusts", [True, False], ids=["wrong authority", "plaintext"])
def test_a_client_of_another_authority_or_without_tls_is_not_served(files: Files, trusts: bool) -> None:
    ca = trustme.CA() if trusts else None
    assert served(files.tls, lambda target: health(target, ca)) == "UNAVAILABLE"


def test_with_client_ca_only_clients_that_it_signed_are_served(files: Files, tmp_path: Path) -> None:
    clients = trustme.CA()
    clients.cert_pem.write_to_path(str(tmp_path / "clients.pem"))
    tls = Tls(files.tls.cert, files.tls.key, tmp_path / "clients.pem")
    own, foreign = clients.issue_cert("bot@example.org"), trustme.CA().issue_cert("bot@example.org")

    def act(target: str) -> list[str]:
        return [health(target, files.ca, each) for each in (own, None, foreign)]

    assert served(tls, act) == ["SERVING", "UNAVAILABLE", "UNAVAILABLE"]


def test_a_new_certificate_is_served_without_a_restart(files: Files) -> None:
    other = trustme.CA()

    def act(target: str) -> list[str]:
        before = health(target, files.ca)
        files.issue(other)
        return [before, health(target, other), health(target, files.ca)]

    assert served(files.tls, act) == ["SERVING", "SERVING", "UNAVAILABLE"]


def test_files_that_cannot_be_used_leave_the_last_ones_in_force(files: Files) -> None:
    def act(target: str) -> list[str]:
        key = files.tls.key.read_bytes()
        files.tls.key.write_text("half a k")
        broken = health(target, files.ca)
        files.tls.key.unlink()
        gone = health(target, files.ca)
        files.tls.key.write_bytes(key)
        return [broken, gone, health(target, files.ca)]

    with capture_logs() as logs:
        assert served(files.tls, act) == ["SERVING", "SERVING", "SERVING"]
    assert "certificates_unusable" in {entry["event"] for entry in logs}


@contextmanager
def broken(files: Files, how: str) -> Iterator[None]:
    """The files with a fault."""
    if how == "missing":
        files.tls.cert.unlink()
    elif how == "swapped":
        shutil.copy(files.tls.cert, files.tls.key)
    elif how == "not matching":
        kept = files.tls.cert.read_bytes()
        files.issue()
        files.tls.cert.write_bytes(kept)
    elif how == "no file":
        files.tls.key.unlink()
        files.tls.key.mkdir()
    yield


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("missing", "cert.pem cannot be read: No such file or directory; TLS needs it"),
        ("swapped", "key.pem are no certificate with its key, both in PEM: what is in them is something else"),
        ("not matching", "are no certificate with its key, both in PEM: KEY_VALUES_MISMATCH"),
        ("no file", "key.pem cannot be read: Is a directory"),
    ],
)
def test_a_server_does_not_start_with_a_certificate_that_cannot_be_used(files: Files, how: str, words: str) -> None:
    with broken(files, how), pytest.raises(TransportError, match=words):
        served(files.tls, str)


# -- the command line's client


def bots_seen(target: str, trust: Trust) -> str:
    """The name that a desk answers with, or how the call failed."""
    with Client(target.replace("127.0.0.1", "localhost"), "ann", trust) as client:
        try:
            return client.call(lobby_pb2.ListBotsRequest(), lobby_pb2.ListBotsResponse).bots[0].name
        except ServiceError as error:
            return error.code.name


def served_desk(tls: Tls | None, act: Callable[[str], Any]) -> Any:
    async def main() -> Any:
        services = Services({lobby_pb2.DESCRIPTOR.services_by_name["LobbyService"]: Lobby()}, OpenDoor())
        async with serve(Recorder(), tls=tls, services=services) as bridge:
            return await trio.to_thread.run_sync(act, bridge.target)

    return trio.run(main)


def test_the_client_trusts_whom_it_is_told_to(files: Files, tmp_path: Path) -> None:
    own, other = tmp_path / "ca.pem", tmp_path / "other.pem"
    files.ca.cert_pem.write_to_path(str(own))
    trustme.CA().cert_pem.write_to_path(str(other))

    def act(target: str) -> list[str]:
        return [bots_seen(target, trust) for trust in (Trust(ca=own), Trust(ca=other), Trust())]

    assert served_desk(files.tls, act) == ["ann", "UNAVAILABLE", "UNAVAILABLE"]


def test_the_client_shows_its_certificate(files: Files, tmp_path: Path) -> None:
    ca, cert, key = tmp_path / "ca.pem", tmp_path / "own.pem", tmp_path / "own.key"
    files.ca.cert_pem.write_to_path(str(ca))
    issued = files.ca.issue_cert("ann@example.org")
    issued.cert_chain_pems[0].write_to_path(str(cert))
    issued.private_key_pem.write_to_path(str(key))
    tls = Tls(files.tls.cert, files.tls.key, client_ca=ca)

    def act(target: str) -> list[str]:
        return [bots_seen(target, trust) for trust in (Trust(ca, cert, key), Trust(ca=ca))]

    assert served_desk(tls, act) == ["ann", "UNAVAILABLE"]


def test_the_client_asks_a_server_without_tls_in_vain_where_it_wants_it(files: Files, tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    files.ca.cert_pem.write_to_path(str(ca))
    assert served_desk(None, lambda target: bots_seen(target, Trust(ca=ca))) == "UNAVAILABLE"


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1:1", True),
        ("localhost:1", True),
        ("[::1]:1", True),
        ("unix:/run/x", True),
        ("dns:///localhost:1", True),
        ("192.0.2.1:1", False),
        ("example.org:1", False),
        ("localhost.example.org:1", False),
        ("0.0.0.0:1", False),
        ("", False),
    ],
)
def test_what_is_local_is_known(address: str, local: bool) -> None:
    assert is_local(address) is local
