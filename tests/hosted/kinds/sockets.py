"""What can be done with a socket of one's own."""

import contextlib
import os
import socket
import time

from .hostile import OWN, Hostile, done, escaped

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


class SocketFlood(Hostile):
    """As many connections as it may have open, each silent."""

    def attack(self) -> None:
        self.held = []
        with contextlib.suppress(OSError):
            for _ in range(5000):
                made = socket.socket(socket.AF_UNIX)
                made.settimeout(0.2)
                made.connect(OWN)
                self.held.append(made)


class SocketChurn(Hostile):
    """Thousands of connections, one after the other."""

    def attack(self) -> None:
        for _ in range(3000):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as made:
                made.settimeout(0.2)
                made.connect(OWN)


class SocketJunk(Hostile):
    def attack(self) -> None:
        for number in range(500):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as made:
                made.settimeout(0.2)
                made.connect(OWN)
                made.sendall(os.urandom(4096) if number % 2 else PREFACE + os.urandom(4096))


class HalfOpen(Hostile):
    def attack(self) -> None:
        self.held = []
        for number in range(150):
            with contextlib.suppress(OSError):
                made = socket.socket(socket.AF_UNIX)
                made.settimeout(0.2)
                made.connect(OWN)
                made.sendall(PREFACE[: number % len(PREFACE)])
                self.held.append(made)


class HandsOverFiles(Hostile):
    """Open files as ancillary data, which nobody there asked for."""

    def attack(self) -> None:
        for _ in range(50):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as made:
                made.settimeout(0.2)
                made.connect(OWN)
                socket.send_fds(made, [PREFACE], [0] * 200)


class ReplacesSocket(Hostile):
    def attack(self) -> None:
        if changed := done(
            lambda: os.unlink(OWN),
            lambda: os.rename(OWN, "/tmp/referee.sock"),
            lambda: os.symlink("/tmp/x", OWN),
            lambda: os.chmod(OWN, 0),
        ):
            escaped(f"its socket was changed: {changed}")


class ReusesSocket(Hostile):
    """Comes again and again after its match, as if for another."""

    def play(self) -> None:
        until = time.monotonic() + 600
        while time.monotonic() < until:
            with contextlib.suppress(Exception):
                self.stream()
            time.sleep(0.05)
