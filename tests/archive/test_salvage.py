"""A damaged replay is told by what differs in it, or by what cannot be read of it any more."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard
from gavelport.v1.replay_pb2 import ReplayFrame
from gavelport_server.archive.audit import check_file
from gavelport_server.archive.packing import _delimited, pack, unpack
from gavelport_server.archive.record import Replay
from gavelport_server.archive.replay import decode_replay, encode, encode_replay, replay_of
from gavelport_server.archive.salvage import what_differs

from tests.archive.folder import short_match
from tests.archive.play import played_match

WHOLE = "the match that it holds is whole and right: only bytes that mean nothing differ"


@pytest.fixture(scope="module")
def stored() -> bytes:
    return encode_replay(short_match(0))


def unsealed(content: bytes) -> bytes:
    """A file of another content whose checksum and seal are not made anew: zeros."""
    frame = zstandard.ZstdCompressor(write_checksum=True).compress(content)
    return frame[:-4] + bytes(4) + bytes(16)


def flipped(stored: bytes, place: int, bits: int = 1) -> bytes:
    changed = bytearray(stored)
    changed[place] ^= bits
    return bytes(changed)


def frames_of(stored: bytes) -> bytes:
    return b"".join(map(_delimited, unpack(stored)))


def test_seal_and_checksum_mean_nothing_to_the_match(stored: bytes) -> None:
    for place in range(len(stored) - 20, len(stored)):
        assert what_differs(flipped(stored, place)) == WHOLE
    assert what_differs(stored[:-1]) == what_differs(stored + b"x") == WHOLE


def later(replay: Replay, place: int, **change: Any) -> Replay:
    choices = list(replay.choices)
    choices[place] = replace(choices[place], **change)
    return replace(replay, choices=tuple(choices))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: later(r, 5, action=r.choices[0].action), "the first difference in what it holds: decision "),
        (lambda r: later(r, 3, charged_ms=77), "the first difference in what it holds: header, decisions, times, faul"),
        (lambda r: replace(r, seed=bytes(32)), "the first difference in what it holds: commitment to the seed for "),
        (lambda r: replace(r, end=replace(r.end, totals=(0, 0, 0))), "what it holds: result: money by the rules: ["),
    ],
)
def test_the_first_difference_is_told(change: Callable[[Replay], Replay], said: str) -> None:
    changed = change(replay_of(short_match(0)))
    assert said in what_differs(unsealed(frames_of(encode(changed))))


def test_a_decision_is_told_with_its_turn_and_seat(tmp_path: Path) -> None:
    replay = replay_of(short_match(0))
    prefixes = (replay.prefixes[0], bytes(4), *replay.prefixes[2:])
    path = tmp_path / "match-0.zst"
    path.write_bytes(unsealed(frames_of(encode(replace(replay, prefixes=prefixes)))))
    said = check_file(path).problem
    assert said.startswith(
        "is not as it was written: changed, cut short, or never a replay (its seal differs); "
        "the first difference in what it holds: decision "
    )
    assert "(turn 2, seat " in said
    assert said.endswith("the replay says 00000000")


def swapped(frames: Sequence[bytes]) -> list[bytes]:
    return [frames[0], frames[2], frames[1], frames[3]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f[:1], "frame 2 (play) and all after it cannot be read: the file holds no more"),
        (lambda f: f[:3], "frame 4 (proof) cannot be read: the file holds no more"),
        (
            swapped,
            "frame 2 (play) and all after it cannot be read: {end} bytes, from unpacked byte {second} on, are the ",
        ),
        (
            lambda f: [*f[:2], b"\xff\xff", f[3]],
            "frame 3 (end) and all after it cannot be read: the bytes from unpacked ",
        ),
        (lambda f: [f[0], b"", *f[2:]], "from unpacked byte {second} on, are a frame of no known kind"),
        (lambda f: [*f, f[0]], "frame 4 (proof) cannot be read: it is not the last: "),
    ],
)
def test_the_frame_that_cannot_be_read_is_named(
    stored: bytes, change: Callable[[Sequence[bytes]], list[bytes]], said: str
) -> None:
    frames = unpack(stored)
    second = len(_delimited(frames[0])) + 1  # after a length of one byte
    told = what_differs(unsealed(b"".join(map(_delimited, change(frames)))))
    assert said.format(end=len(frames[2]), second=second) in told


def test_a_frame_cut_short_is_named(stored: bytes) -> None:
    told = what_differs(unsealed(frames_of(stored)[:60]))
    assert told.startswith("frame 1 (header) and all after it cannot be read: after unpacked byte 0, a frame of ")
    assert told.endswith(" is cut short")


def test_a_file_cut_short_is_told_by_its_bytes(stored: bytes) -> None:
    for length in range(4, len(stored) - 20):
        assert f"the file ends after {length} bytes" in what_differs(stored[:length]) or "cannot be unpacked" in (
            what_differs(stored[:length])
        )
    middle = what_differs(stored[: len(stored) // 2])
    assert middle.startswith("frame 1 (header) and all after it cannot be read: the file ends after ")
    assert what_differs(stored[:-21]).startswith("frame 4 (proof) cannot be read: the file ends after ")
    for other in (b"", b"{}", flipped(stored, 0)):
        assert what_differs(other).endswith("cannot be read: the file does not begin as a zstd frame does")


def test_what_zstd_cannot_unpack_is_told_by_its_place(stored: bytes) -> None:
    told = [what_differs(flipped(stored, place, 255)) for place in range(len(stored))]
    assert any("of the file cannot be unpacked (zstd" in one for one in told)


def test_much_out_of_little_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavelport_server.archive.salvage.LARGEST_BYTES", 200_000)
    assert "it unpacks to more than 200000 bytes" in what_differs(unsealed(bytes(2_000_000)))


def test_every_changed_byte_is_told_in_words(stored: bytes) -> None:
    for place in range(len(stored)):
        told = what_differs(flipped(stored, place, 1 << place % 8))
        assert told == WHOLE or told.startswith(("frame ", "the first difference in what it holds: ")), told


@pytest.mark.long
@pytest.mark.parametrize("number", range(3))
def test_many_changed_bits_are_told_in_words(number: int) -> None:
    stored = encode_replay(played_match(number))
    for bit in range(number, 8 * len(stored), 61):
        told = what_differs(flipped(stored, bit // 8, 1 << bit % 8))
        assert told == WHOLE or told.startswith(("frame ", "the first difference in what it holds: ")), told


def test_a_sealed_file_is_read_the_same_way(stored: bytes) -> None:
    assert what_differs(stored) == WHOLE
    *rest, last = unpack(stored)
    assert decode_replay(pack(rest, incompressible=last)) == replay_of(short_match(0))
    assert [ReplayFrame.FromString(one).WhichOneof("frame") for one in rest] == ["header", "play", "end"]
