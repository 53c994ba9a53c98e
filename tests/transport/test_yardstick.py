"""The yardstick measures, and says so when it cannot; importing the room leaves the environment alone."""

import os
import subprocess
import sys

import pytest
from gavelport_server.transport import EXPERIMENTS
from gavelport_server.transport.yardstick import Window, YardstickError, measure, measure_bare


def test_bare_ping_pong_is_measured_in_a_process_of_its_own() -> None:
    reading = measure_bare(2, down_bytes=100, up_bytes=20, window_s=0.2)
    assert reading.streams == 2
    assert reading.round_trips > 20
    assert 1 < reading.cpu_us < 1e6 * reading.seconds * (os.cpu_count() or 1)


def test_a_server_that_fails_is_told_with_what_it_wrote() -> None:
    with pytest.raises(YardstickError, match="planted"):
        measure([sys.executable, "-c", "raise SystemExit('planted')"])


def test_a_server_that_reports_nothing_is_no_reading() -> None:
    with pytest.raises(YardstickError, match="code 0"):
        measure([sys.executable, "-c", ""])


def test_a_window_without_a_round_trip_is_no_reading() -> None:
    window = Window()
    window.round_trips = 5
    window.start()
    with pytest.raises(YardstickError, match="no round trip"):
        window.read(1)


@pytest.mark.parametrize("value", [None, "", "-other"])
def test_importing_the_room_leaves_the_environment_as_it_was(value: str | None) -> None:
    environment = {name: each for name, each in os.environ.items() if name != EXPERIMENTS}
    if value is not None:
        environment[EXPERIMENTS] = value
    program = f"import os, gavelport_server.transport; print(repr(os.environ.get({EXPERIMENTS!r})))"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{value!r}\n"
