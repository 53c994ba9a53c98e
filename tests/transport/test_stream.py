"""How links behave, the same in every transport."""

import pytest
import trio
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import Link, LostReason, StatusCode
from gavelport_server.transport.memory import Status, StreamEnded
from structlog.testing import capture_logs

from tests.transport.worlds import GUEST, MEMORY, PATIENCE_S, THREAD, Stage, World, everywhere, play, status_of


@everywhere()
async def test_messages_go_both_ways_unchanged_and_in_order(stage: Stage) -> None:
    client, link = await stage.join()
    up = [bytes([n]) * n for n in range(200)]
    for message in up:
        await client.send(message)
    await stage.recorder.until(lambda: len(stage.recorder.received_by[link]) == len(up))
    assert stage.recorder.received_by[link] == up
    down = [bytes([n]) * (n * 7) for n in range(200)]
    for message in down:
        link.send(message)
    assert [await client.receive() for _ in down] == down


@everywhere()
async def test_metadata_reaches_the_listener_with_keys_in_lower_case(stage: Stage) -> None:
    _, link = await stage.join({"authorization": "Bearer Abc"})
    assert link.metadata["authorization"] == "Bearer Abc"
    assert link.peer


@everywhere()
async def test_an_answer_sent_inside_the_listener_arrives(stage: Stage) -> None:
    stage.recorder.on_opened = lambda link: link.send(b"welcome")
    stage.recorder.on_received = lambda link, message: link.send(message.upper())
    client, _ = await stage.join()
    assert await client.receive() == b"welcome"
    for word in (b"bid", b"pass"):
        await client.send(word)
        assert await client.receive() == word.upper()


@everywhere()
async def test_a_polite_half_close_ends_the_stream_with_ok(stage: Stage) -> None:
    client, link = await stage.join()
    await client.half_close()
    assert await stage.recorder.until_lost(link) is LostReason.ENDED
    assert await status_of(client) == Status(StatusCode.OK, "")


@everywhere()
async def test_a_client_that_cancels_is_lost(stage: Stage) -> None:
    client, link = await stage.join()
    client.cancel()
    assert await stage.recorder.until_lost(link) is LostReason.CANCELLED
    link.send(b"into the void")
    link.close(StatusCode.OK, "")
    link.cancel()


@everywhere()
async def test_a_close_comes_after_what_is_queued_and_brings_code_and_text(stage: Stage) -> None:
    client, link = await stage.join()
    link.send(b"last words")
    link.close(StatusCode.UNAUTHENTICATED, "unknown token")
    link.send(b"too late")
    link.close(StatusCode.OK, "only the first counts")
    assert await client.receive() == b"last words"
    assert await status_of(client) == Status(StatusCode.UNAUTHENTICATED, "unknown token")
    assert await stage.recorder.until_lost(link) is LostReason.CLOSED


@everywhere()
async def test_nothing_is_received_after_a_close(stage: Stage) -> None:
    stage.recorder.on_received = lambda link, _: link.close(StatusCode.ABORTED, "enough")
    client, link = await stage.join()
    for word in (b"one", b"two", b"three"):
        try:
            await client.send(word)
        except StreamEnded:
            break
    await stage.recorder.until_lost(link)
    assert stage.recorder.received_by[link] == [b"one"]


@everywhere()
async def test_a_cancel_gives_the_link_up_at_once(stage: Stage) -> None:
    client, link = await stage.join()
    link.cancel()
    assert await stage.recorder.until_lost(link) is LostReason.CLOSED
    assert (await status_of(client)).code is StatusCode.CANCELLED


@everywhere()
async def test_a_cancel_inside_the_listener_loses_the_link_after_the_call(stage: Stage) -> None:
    inside: list[int] = []

    def cancel(link: Link, message: bytes) -> None:
        link.cancel()
        inside.append(len(stage.recorder.lost_by[link]))

    stage.recorder.on_received = cancel
    client, link = await stage.join()
    await client.send(b"x")
    assert await stage.recorder.until_lost(link) is LostReason.CLOSED
    assert inside == [0]


SMALL = Limits(max_queued_messages=4, max_queued_bytes=1000, max_send_bytes=500, max_receive_bytes=100)


async def overflow(stage: Stage) -> str:
    """Send 8 MB to a bot that does not read, more than sockets and flow control swallow; the text of the end."""
    client, link = await stage.join()
    for number in range(20_000):
        link.send(number.to_bytes(400, "big"))
    received: list[int] = []
    status = None
    while status is None:
        try:
            received.append(int.from_bytes(await client.receive(), "big"))
        except StreamEnded as ended:
            status = ended.status
    assert status.code is StatusCode.RESOURCE_EXHAUSTED
    assert received, "what was queued before should have come first"
    assert received == list(range(len(received)))
    assert await stage.recorder.until_lost(link) is LostReason.OVERFLOW
    return status.text


@everywhere(limits=Limits(max_queued_messages=4))
async def test_a_queue_of_too_many_messages_closes_the_link_after_what_fits(stage: Stage) -> None:
    assert "4 messages" in await overflow(stage)


@everywhere(limits=Limits(max_queued_bytes=1000))
async def test_a_queue_of_too_many_bytes_closes_the_link_after_what_fits(stage: Stage) -> None:
    assert "1000 bytes" in await overflow(stage)


@everywhere(limits=SMALL)
async def test_a_queue_that_is_read_never_overflows(stage: Stage) -> None:
    client, link = await stage.join()
    stage.recorder.on_received = lambda link, _: link.send(bytes(300))
    for _ in range(20):
        await client.send(b"next")
        assert len(await client.receive()) == 300
    assert not stage.recorder.lost_by[link]


@everywhere(limits=SMALL)
async def test_a_message_of_ours_above_the_limit_is_our_fault(stage: Stage) -> None:
    client, link = await stage.join()
    with pytest.raises(ValueError, match=r"501 bytes is above max_send_bytes \(500\)"):
        link.send(bytes(501))
    link.send(bytes(500))
    assert len(await client.receive()) == 500


@everywhere(limits=SMALL)
async def test_a_message_of_a_bot_above_the_limit_costs_it_the_stream(stage: Stage) -> None:
    client, link = await stage.join()
    await client.send(bytes(100))
    await stage.recorder.until(lambda: stage.recorder.received_by[link])
    await client.send(bytes(101))
    assert await stage.recorder.until_lost(link) is LostReason.CANCELLED
    assert (await status_of(client)).code is StatusCode.RESOURCE_EXHAUSTED
    assert stage.recorder.received_by[link] == [bytes(100)]


FILL = Limits(max_queued_messages=1000, max_queued_bytes=64 * 1024 * 1024, close_grace_ms=50)


@everywhere(limits=FILL)
async def test_a_client_that_never_reads_is_cut_after_the_grace(stage: Stage) -> None:
    _, link = await stage.join()
    for _ in range(100):  # 25 MiB: far more than sockets and flow control swallow.
        link.send(bytes(256 * 1024))
    link.close(StatusCode.DEADLINE_EXCEEDED, "you never read")
    assert await stage.recorder.until_lost(link) is LostReason.CLOSED


@everywhere(limits=Limits(max_queued_messages=1000, max_queued_bytes=64 * 1024 * 1024, close_grace_ms=3_600_000))
async def test_a_cancel_also_overtakes_a_close_that_nobody_reads(stage: Stage) -> None:
    _, link = await stage.join()
    for _ in range(100):
        link.send(bytes(256 * 1024))
    link.close(StatusCode.DEADLINE_EXCEEDED, "you never read")
    link.cancel()
    assert await stage.recorder.until_lost(link) is LostReason.CLOSED


@everywhere(limits=Limits(max_streams=2))
async def test_more_streams_than_allowed_are_refused_and_a_place_is_given_back(stage: Stage) -> None:
    client, link = await stage.join()
    await stage.join()
    try:
        status = await status_of(stage.connect({}))
    except StreamEnded as refused:
        status = refused.status
    assert status.code is StatusCode.RESOURCE_EXHAUSTED
    assert len(stage.recorder.links) == 2
    await client.half_close()
    await stage.recorder.until_lost(link)
    await status_of(client)
    await stage.join()


@everywhere()
async def test_stamps_are_on_the_clock_of_trio(stage: Stage) -> None:
    client, link = await stage.join()
    before = trio.current_time()
    for _ in range(3):
        await client.send(b"x")
    await stage.recorder.until(lambda: len(stage.recorder.received_by[link]) == 3)
    stamps = stage.recorder.stamps
    assert before <= stamps[0] <= stamps[1] <= stamps[2] <= trio.current_time()


SECRET = "the hidden card is a joker"


@pytest.mark.parametrize("callback", ["opened", "received", "lost"])
@pytest.mark.parametrize("world", [MEMORY, THREAD, GUEST], ids=lambda world: world.name)
def test_what_the_listener_raises_is_logged_and_never_told(world: World, callback: str) -> None:
    def fail(*_: object) -> None:
        raise LookupError(SECRET)

    statuses: list[Status] = []

    async def scenario(stage: Stage) -> None:
        setattr(stage.recorder, f"on_{callback}", fail)
        client, link = await stage.join()
        other, _ = await stage.join() if callback == "received" else (None, None)
        if callback == "received":
            await client.send(b"x")
        if callback == "lost":
            await client.half_close()
        statuses.append(await status_of(client))
        await stage.recorder.until_lost(link)
        if other is not None:
            assert len(stage.recorder.links) == 2
            assert not stage.recorder.lost_by[stage.recorder.links[1]], "one bot's failure cost another its stream"

    with capture_logs() as logs:
        play(world, scenario, Limits())
    (status,) = statuses
    failures = [entry for entry in logs if entry["event"] == "listener_failed"]
    assert len(failures) == 1
    assert failures[0]["callback"] == callback
    assert failures[0]["exc_info"]
    assert SECRET not in status.text
    if callback != "lost":  # By then the stream is over already.
        assert status == Status(StatusCode.INTERNAL, f"internal error {failures[0]['error_id']}")


@pytest.mark.parametrize("world", [MEMORY, THREAD, GUEST], ids=lambda world: world.name)
@pytest.mark.parametrize("way", ["return", "raise", "cancel"])
def test_at_the_end_every_link_is_told_that_the_server_shuts_down(world: World, way: str) -> None:
    class BoomError(Exception):
        pass

    seen: list[tuple[list[bytes], Status]] = []

    stages: list[Stage] = []

    async def main() -> None:
        async def watch(client: object, link: Link) -> None:
            messages: list[bytes] = []
            try:
                while True:
                    messages.append(await client.receive())  # type: ignore[attr-defined]
            except StreamEnded as ended:
                seen.append((messages, ended.status))

        async with trio.open_nursery() as nursery:
            try:
                with trio.CancelScope() as scope:
                    async with world.stage(Limits()) as stage:
                        stages.append(stage)
                        for _ in range(3):
                            client, link = await stage.join()
                            nursery.start_soon(watch, client, link)
                            link.send(b"queued")
                        if way == "raise":
                            raise BoomError
                        if way == "cancel":
                            scope.cancel()
                            await trio.sleep_forever()
            except BoomError:
                assert way == "raise"

    async def bounded() -> None:
        with trio.fail_after(PATIENCE_S):
            await main()

    world.run(bounded)
    assert list(stages[0].recorder.lost_by.values()) == [[LostReason.SHUTDOWN]] * 3
    assert seen == [([b"queued"], Status(StatusCode.UNAVAILABLE, "the server is shutting down"))] * 3
