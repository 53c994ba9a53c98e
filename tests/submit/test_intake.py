"""What comes in over a real socket: good packages are kept, and for each bad one there is a clear word."""

from __future__ import annotations

import errno
import random
import stat
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
from gavelport.v1 import lobby_pb2 as pb
from gavelport_server.conduct.manifest import content_hash
from gavelport_server.lobby.intake import DAILY
from gavelport_server.lobby.packages import Packages
from gavelport_server.lobby.tokens import written
from gavelport_server.transport.link import ServiceError
from structlog.testing import capture_logs

from tests.lobby.world import House, serving
from tests.submit.world import MANIFEST, Author, files, on_socket, opened, requests, zipped

MIB = 1024 * 1024


def as_ann(house: House, act: Callable[[Author], Any]) -> Any:
    token = house.token("owner", owner="ann")
    return on_socket(house, lambda target: act(Author(target, token)))


def kept(house: House) -> list[str]:
    """What is there of packages."""
    return sorted(
        path.relative_to(house.data).as_posix()
        for name in ("packages", "bots")
        for path in (house.data / name).rglob("*")
        if path.is_file()
    )


def test_a_package_is_kept_with_its_files_and_waits(house: House) -> None:
    told = as_ann(house, lambda ann: ann.submit(other=random.Random(1).randbytes(200_000)))
    assert (told.id, told.bot, told.version, told.owner, told.status) == (1, "ant", "2", "ann", "received")
    place = house.data / "bots" / told.content_hash
    assert content_hash(place) == told.content_hash
    assert kept(house) == [
        *(f"bots/{told.content_hash}/{name}" for name in ("bot.toml", "main.py", "other")),
        f"packages/{told.content_hash}.zip",
    ]
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o444}
    assert [one.version for one in house.store.versions("ant")] == ["1"], "it is no version before it is admitted"


def test_a_data_folder_may_be_named_from_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    house = House(Path("league"))
    opened(house)
    assert as_ann(house, lambda ann: ann.submit().status) == "received"
    assert len(kept(house)) == 3


def test_a_disk_that_is_full_is_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(house.data))

    monkeypatch.setattr(house.desks.by_name["LobbyService"]._packages, "keep", full)
    with capture_logs() as logs:
        code, text = as_ann(house, lambda ann: ann.refused(requests(zipped(files()))))
    assert (code, text) == (
        "UNAVAILABLE",
        "the server cannot keep the package (No space left on device); tell whoever runs it, and try again later",
    )
    assert [entry["event"] for entry in logs] == ["package_not_kept"]
    assert kept(house) == []


def test_a_free_name_is_registered_for_whoever_submits(house: House) -> None:
    as_ann(house, lambda ann: ann.submit(MANIFEST.replace("ant", "wasp")))
    assert [bot.owner for bot in house.store.bots() if bot.name == "wasp"] == ["ann"]


def test_the_same_again_is_the_same_submission(house: House) -> None:
    packages = [zipped(files()), zipped(files()), zipped(files(), method=zipfile.ZIP_STORED)]
    assert as_ann(house, lambda ann: [ann.send(requests(package)).id for package in packages]) == [1, 1, 1]
    assert len(kept(house)) == 3


def manifest(old: str, new: str) -> Iterator[pb.SubmitRequest]:
    return requests(zipped(files(MANIFEST.replace(old, new))))


BAD: dict[str, tuple[Callable[[], Iterator[pb.SubmitRequest]], str, str]] = {
    "no zip": (lambda: requests(b"x" * 1000), "INVALID_ARGUMENT", "the package cannot be read as a zip file"),
    "empty": (lambda: requests(b""), "INVALID_ARGUMENT", "the package cannot be read as a zip file"),
    "link": (
        lambda: requests(zipped(files(lib=b"/etc/passwd"), kind=stat.S_IFLNK)),
        "INVALID_ARGUMENT",
        "'lib': is no plain file (a link, a device, or a pipe); put the file itself there",
    ),
    "absolute": (
        lambda: requests(zipped({**files(), "/etc/cron.d/x": b""})),
        "INVALID_ARGUMENT",
        "'/etc/cron.d/x': is no relative path",
    ),
    "above": (
        lambda: requests(zipped({**files(), "lib/../../x": b""})),
        "INVALID_ARGUMENT",
        "'lib/../../x': leads out of the bot's folder",
    ),
    "bomb": (
        lambda: requests(zipped(files(zeros=bytes(20 * MIB)))),
        "INVALID_ARGUMENT",
        "'zeros': unpacks to more than 100 times its size in the zip",
    ),
    "many": (
        lambda: requests(zipped({**files(), **{f"f{number}": b"" for number in range(2000)}})),
        "INVALID_ARGUMENT",
        "the package has 2002 entries; 2000 are the most",
    ),
    "hidden": (
        lambda: requests(zipped({**files(), ".git/config": b""})),
        "INVALID_ARGUMENT",
        "'.git/config': is hidden, or made by a tool",
    ),
    "node_modules": (
        lambda: requests(zipped({**files(), "node_modules/a/index.js": b""})),
        "INVALID_ARGUMENT",
        "put what the bot needs under another name",
    ),
    "no manifest": (lambda: requests(zipped({"main.py": b""})), "INVALID_ARGUMENT", "bot.toml: is missing; make it"),
    "no TOML": (
        lambda: manifest("name = ", "name : "),
        "INVALID_ARGUMENT",
        "bot.toml: cannot be read as TOML in UTF-8",
    ),
    "long manifest": (
        lambda: requests(zipped(files(MANIFEST + "#" * 20_000))),
        "INVALID_ARGUMENT",
        "bot.toml: has more than 4096 bytes",
    ),
    "deep manifest": (
        lambda: manifest("name", "a = " + "[" * 2000 + "\nname"),
        "INVALID_ARGUMENT",
        "bot.toml: cannot be read as TOML",
    ),
    "unknown key": (lambda: manifest("entry", 'colour = "red"\nentry'), "INVALID_ARGUMENT", "colour: unknown key"),
    "long name": (lambda: manifest('"ant"', f'"{"a" * 2000}"'), "INVALID_ARGUMENT", "bot.toml: name: use 1 to 64"),
    "version": (lambda: manifest('"2"', '"2/../3"'), "INVALID_ARGUMENT", "bot.toml: version: use 1 to 64"),
    "entry": (lambda: manifest("main.py", "start.py"), "INVALID_ARGUMENT", "there is no file 'start.py' in the bot's"),
    "entry outside": (lambda: manifest("main.py", "../x"), "INVALID_ARGUMENT", "is outside the bot's folder"),
    "language": (lambda: manifest('"python"', '"cobol"'), "INVALID_ARGUMENT", 'write language = "python" or language'),
    "game": (lambda: manifest('"container"', '"chess"'), "INVALID_ARGUMENT", "games.0: 'chess' is not played here"),
    "upper case": (lambda: manifest('"ant"', '"Ant"'), "INVALID_ARGUMENT", '"Ant" is no name of a bot'),
    "others' bot": (lambda: manifest('"ant"', '"bee"'), "ALREADY_EXISTS", "the name bee is taken; choose another"),
    "sample bot": (
        lambda: manifest('"ant"', '"random_legal"'),
        "ALREADY_EXISTS",
        "random_legal is the name of a sample bot",
    ),
    "played elsewhere": (
        lambda: manifest('"2"', '"1"'),
        "ALREADY_EXISTS",
        "ant 1 has played from elsewhere already, and a version does not change; raise version in bot.toml",
    ),
    "too large": (
        lambda: requests(b"x", size=21 * MIB),
        "INVALID_ARGUMENT",
        "the package has 21.0 MiB; 20 are the most",
    ),
    "wrong hash": (
        lambda: requests(zipped(files()), sha256="0" * 64),
        "INVALID_ARGUMENT",
        "what came has another SHA-256 than was announced; send the package again",
    ),
    "no hash": (lambda: requests(zipped(files()), sha256="../x"), "INVALID_ARGUMENT", "sha256 should be the SHA-256"),
    "cut": (
        lambda: requests(zipped(files())[:100], size=400),
        "INVALID_ARGUMENT",
        "100 of 400 bytes came; send the package again",
    ),
    "longer": (lambda: requests(bytes(100_000), size=400), "INVALID_ARGUMENT", "more came than the 400 bytes"),
    "nothing": (lambda: iter(()), "INVALID_ARGUMENT", "the first message should be the header"),
    "no header": (lambda: iter([pb.SubmitRequest(chunk=b"x")]), "INVALID_ARGUMENT", "the first message should be the"),
    "two headers": (
        lambda: iter([*requests(b"", size=9), *requests(b"", size=9)]),
        "INVALID_ARGUMENT",
        "after the header only chunks should come",
    ),
    "stored bomb": (
        lambda: requests(zipped(files(a=bytes(70 * MIB)), method=zipfile.ZIP_BZIP2)),
        "INVALID_ARGUMENT",
        "the package unpacks to",
    ),
}  # fmt: skip


def test_each_bad_package_is_refused_with_a_clear_word_and_leaves_nothing(house: House) -> None:
    def act(ann: Author) -> dict[str, tuple[str, str]]:
        return {name: ann.refused(upload()) for name, (upload, _, _) in BAD.items()}

    found = as_ann(house, act)
    for name, (_, code, words) in BAD.items():
        assert found[name][0] == code, (name, found[name])
        assert words in found[name][1], (name, found[name])
        assert len(found[name][1]) < 900, name
        assert str(house.data) not in found[name][1], f"{name}: no path of the server is told"
    assert kept(house) == []
    assert list(house.store.submissions()) == []


def test_a_version_never_changes_and_one_that_was_refused_may_come_again(house: House) -> None:
    def act(ann: Author) -> list[tuple[str, str]]:
        first = ann.submit()
        waiting = ann.refused(requests(zipped(files(other=b"1"))))
        house.store.refuse_submission(first.id, "[]", first.received_at)
        again = ann.submit(other=b"1")
        house.store.admit_submission(again.id, "[]", again.received_at)
        assert ann.submit(other=b"1").id == again.id, "the same once more is told what became of it"
        return [waiting, ann.refused(requests(zipped(files(other=b"2"))))]

    assert as_ann(house, act) == [
        (
            "ALREADY_EXISTS",
            "ant 2 is being examined with other content; wait for that, or raise version in bot.toml",
        ),
        ("ALREADY_EXISTS", "ant 2 is there with other content; raise version in bot.toml"),
    ]


def test_a_server_that_hosts_nothing_says_why(house: House) -> None:
    house.live.hosting = "bwrap is not installed"
    code, text = as_ann(house, lambda ann: ann.refused(requests(zipped(files()))))
    assert (code, text) == (
        "FAILED_PRECONDITION",
        "this server runs no submitted bots: bwrap is not installed. A bot that runs elsewhere can connect and play",
    )


def test_an_owner_submits_so_often_in_a_day_and_no_more(house: House) -> None:
    now = datetime.now(UTC)
    for number in range(DAILY):
        house.store.add_submission("asp", str(number), "00" * 32, "ann", written(now - timedelta(hours=23 - number)))

    def act(ann: Author) -> tuple[str, str]:
        return ann.refused(requests(zipped(files())))

    code, text = as_ann(house, act)
    free = now + timedelta(hours=1)
    assert code == "RESOURCE_EXHAUSTED"
    assert text == f"ann has submitted 10 times in 24 hours, which is the most; the next may come at {free:%H:%M} UTC"
    assert kept(house) == []


def test_an_owners_versions_take_so_much_and_no_more(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Packages, "size", lambda _packages, _hash: 600 * MIB)
    for version in ("1", "2"):
        house.store.add_submission("asp", version, version * 64, "ann", "2020-01-01T00:00:00+00:00")

    def act(ann: Author) -> tuple[str, str]:
        return ann.refused(requests(zipped(files())))

    assert as_ann(house, act) == (
        "RESOURCE_EXHAUSTED",
        "ann's versions take 1,200 MiB, and 1,024 are the most; ask whoever runs this server",
    )
    assert kept(house) == []


def test_one_upload_of_an_owner_at_a_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, taken, incoming = threading.Event(), threading.Event(), Packages.incoming

    def tells(packages: Packages) -> AbstractContextManager[Path]:
        taken.set()
        return incoming(packages)

    monkeypatch.setattr(Packages, "incoming", tells)

    def act(target: str) -> tuple[tuple[str, str], str, str]:
        def slow() -> Iterator[pb.SubmitRequest]:
            for request in requests(zipped(files())):
                yield request
                stop.wait(20)

        done: list[pb.Submission] = []
        first = threading.Thread(target=lambda: done.append(Author(target, token).send(slow())))
        first.start()
        try:
            assert taken.wait(20), "the server has the first one's beginning"
            second = Author(target, other).refused(iter(()))
            bob = Author(target, house.token("owner", owner="bob")).submit(MANIFEST.replace("ant", "bee"))
        finally:
            stop.set()
            first.join(20)
        return second, bob.bot, done[0].bot

    token, other = (house.token("owner", owner="ann") for _ in range(2))
    assert on_socket(house, act) == (
        ("RESOURCE_EXHAUSTED", "a package of yours is coming in already; send one after the other"),
        "bee",
        "ant",
    )


def test_an_upload_that_breaks_off_leaves_nothing(house: House) -> None:
    token = house.token("owner", owner="ann")

    def act(target: str) -> None:
        def broken() -> Iterator[pb.SubmitRequest]:
            yield next(requests(bytes(100_000)))
            yield pb.SubmitRequest(chunk=bytes(1000))
            raise ConnectionError

        with pytest.raises(ServiceError):
            Author(target, token).send(broken())

    async def main() -> None:
        async with serving(house) as target:
            await trio.to_thread.run_sync(act, target)
            with trio.fail_after(20):
                while kept(house):  # noqa: ASYNC110 - nothing tells of it
                    await trio.sleep(0.01)
                assert (await trio.to_thread.run_sync(Author(target, token).submit)).id == 1

    trio.run(main)


def test_tokens_submit_what_is_theirs(house: House) -> None:
    tokens = {
        "bot": house.token("bot", owner="ann", bot="ant"),
        "admin": house.token("admin"),
        "bob": house.token("owner", owner="bob"),
    }

    def act(target: str) -> list[tuple[str, str]]:
        authors = {name: Author(target, token) for name, token in tokens.items()}
        told = authors["bot"].submit()
        assert (told.bot, told.owner) == ("ant", "ann")
        told = authors["admin"].submit(MANIFEST.replace("ant", "cow"))
        assert (told.bot, told.owner) == ("cow", "cid")
        house.store.set_status("bee", "banned", "for cause")
        return [
            authors["bot"].refused(manifest('"ant"', '"asp"')),
            authors["admin"].refused(manifest('"ant"', '"wasp"')),
            authors["bob"].refused(manifest('"ant"', '"bee"')),
        ]

    assert on_socket(house, act) == [
        (
            "PERMISSION_DENIED",
            'bot.toml: name: is "asp", and this token is for ant alone; use its owner\'s token',
        ),
        ("NOT_FOUND", 'there is no bot "wasp"; `gavelport bots list` tells which there are'),
        ("FAILED_PRECONDITION", "bee is banned; only whoever runs this server can lift that"),
    ]


def test_submissions_and_logs_are_their_owners_own(house: House) -> None:
    log = house.data / "logs" / "hosted" / "ant" / "2" / "m0.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"line\n" * 20_000)
    (house.data / "logs" / "secret.log").write_bytes(b"secret")
    house.store.add_version("ant", "2", "ab" * 32)
    tokens = {
        "ann": house.token("owner", owner="ann"),
        "bot": house.token("bot", owner="ann", bot="ant"),
        "bob": house.token("owner", owner="bob"),
        "admin": house.token("admin"),
    }

    def printed(author: Author, match_id: str = "m0") -> bytes:
        request = pb.GetLogRequest(bot="ant", match_id=match_id)
        return b"".join(one.data for one in author.client.stream(request, pb.GetLogResponse))

    def act(target: str) -> None:
        authors = {name: Author(target, token) for name, token in tokens.items()}
        number = authors["ann"].submit(MANIFEST.replace('"2"', '"3"')).id
        for name, author in authors.items():
            client = author.client
            listed = client.call(pb.ListSubmissionsRequest(), pb.ListSubmissionsResponse).submissions
            if name == "bob":
                assert list(listed) == []
                for ask in (
                    lambda c=client: c.call(pb.GetSubmissionRequest(id=number), pb.GetSubmissionResponse),
                    lambda c=client: c.call(pb.ListSubmissionsRequest(bot="ant"), pb.ListSubmissionsResponse),
                    lambda a=author: printed(a),
                ):
                    with pytest.raises(ServiceError, match=r"you have no (bot|submission)"):
                        ask()
                continue
            assert [one.version for one in listed] == ["3"]
            assert client.call(pb.GetSubmissionRequest(id=number), pb.GetSubmissionResponse).submission == listed[0]
            assert printed(author) == b"line\n" * 20_000
            for wrong in ("m1", "", "../../../secret", "..", "m0.log", "x" * 300, "%00"):
                with pytest.raises(ServiceError, match="nothing is kept of what ant printed"):
                    printed(author, wrong)
            for number_of_none in (0, 99, 2**32 - 1):
                with pytest.raises(ServiceError, match="you have no submission"):
                    client.call(pb.GetSubmissionRequest(id=number_of_none), pb.GetSubmissionResponse)

    on_socket(house, act)
