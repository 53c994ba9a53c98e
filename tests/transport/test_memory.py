"""What the transport in memory has to itself: virtual time, and an end that it can be given."""

import pytest
import trio
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import LostReason, StatusCode
from gavelport_server.transport.memory import MemoryTransport, Status, StreamEnded
from trio.testing import MockClock

from tests.transport.worlds import Recorder, status_of


async def test_the_grace_runs_on_the_clock_of_the_run(autojump_clock: MockClock) -> None:
    recorder = Recorder()
    client = MemoryTransport(recorder, Limits(close_grace_ms=7000)).connect()
    began = trio.current_time()
    client.link.send(b"never read")
    client.link.close(StatusCode.ABORTED, "enough")
    assert await recorder.until_lost(client.link) is LostReason.CLOSED
    assert trio.current_time() - began == 7
    assert await status_of(client) == Status(StatusCode.ABORTED, "enough")


async def test_a_stamp_is_the_time_of_the_run(autojump_clock: MockClock) -> None:
    recorder = Recorder()
    client = MemoryTransport(recorder).connect()
    await trio.sleep(12.5)
    await client.send(b"x")
    assert recorder.stamps == [trio.current_time()]


async def test_after_the_end_nobody_connects() -> None:
    transport = MemoryTransport(Recorder())
    await transport.aclose()
    with pytest.raises(StreamEnded, match="UNAVAILABLE"):
        transport.connect()


async def test_nothing_is_sent_after_a_half_close() -> None:
    client = MemoryTransport(Recorder()).connect()
    await client.half_close()
    with pytest.raises(RuntimeError, match="half_close"):
        await client.send(b"x")


async def test_keys_of_metadata_are_lowered_as_grpc_does() -> None:
    client = MemoryTransport(Recorder()).connect({"Authorization": "Bearer Abc"})
    assert client.link.metadata == {"authorization": "Bearer Abc"}
