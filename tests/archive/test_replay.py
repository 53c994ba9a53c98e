"""Replays as bytes: what is written is read, and nothing else is."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pytest
import zstandard
from gavelport.v1 import replay_pb2
from gavelport_server.archive import packing
from gavelport_server.archive.errors import ReplayError
from gavelport_server.archive.record import Replay, chain_of, links
from gavelport_server.archive.replay import FAULTS, decode_replay, encode, encode_replay, replay_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.archive.folder import SHORT, short_match
from tests.archive.play import played_match

KEY = bytes(range(16))


@settings(max_examples=25, deadline=None)
@given(
    number=st.integers(0, 10**6),
    seats=st.integers(3, 5),
    faults=st.dictionaries(st.integers(0, 30), st.sampled_from(FAULTS[:4]), max_size=5),
    notes=st.dictionaries(st.integers(0, 30), st.text(min_size=1, max_size=30), max_size=5),
)
def test_what_is_written_is_read(number: int, seats: int, faults: dict, notes: dict) -> None:  # type: ignore[type-arg]
    report = played_match(number, seats=seats, options=SHORT, faults=faults, notes=notes)
    stored = encode_replay(report, KEY)
    assert decode_replay(stored) == replay_of(report, KEY)
    assert encode(decode_replay(stored)) == stored


def test_a_match_of_the_usual_options() -> None:
    report = played_match(1, options={"domestic_sale": True, "seized_to": "supply"})
    replay = decode_replay(encode_replay(report))
    assert replay == replay_of(report)
    assert len(replay.choices) > 100


def plain_digest(label: str, text: str) -> str:
    """What stands for a private text, as `docs/replay-format.md` has it."""
    salt = hmac.new(KEY, label.encode(), "sha256").digest()[:16]
    return hashlib.sha256(salt + text.encode()).hexdigest() if text else ""


def plain_links(replay: Replay) -> Iterator[dict[str, Any]]:
    """The links of the chained hash as `docs/replay-format.md` has them."""
    header, end = replay.header, replay.end
    yield {
        "record": "header",
        "format": 2,
        "match": header.match_id,
        "game": header.game.id,
        "options": header.game.options_to_notation(header.options),
        "commitment": header.commitment,
        "seats": [asdict(seat) for seat in header.seats],
        "clock": asdict(header.clock),
    }
    for number, choice in enumerate(replay.choices, 1):
        action = header.game.action_to_notation(choice.action)
        ms, fault = choice.charged_ms, choice.fault
        note = plain_digest(f"note {number}", str(choice.note))
        yield {"record": "decision", "n": number, "action": action, "ms": ms, "fault": fault, "note": note}
    for number, prefix in enumerate(replay.prefixes, 1):
        yield {"record": "checkpoint", "n": number, "fingerprint": prefix.hex()}
    fingerprint, seed = replay.fingerprint.hex(), replay.seed.hex()
    first_faults = [plain_digest(f"first fault {seat}", str(words)) for seat, words in enumerate(end.first_faults)]
    yield {"record": "end", **asdict(end), "first_faults": first_faults, "fingerprint": fingerprint, "seed": seed}


def test_the_chain_is_what_the_format_says() -> None:
    notes = {2: "„wir“", 5: 'a "quote", a \\ and a\nline', 9: "\x00"}
    report = played_match(3, seats=3, options=SHORT, faults={4: "timeout", 7: "illegal"}, notes=notes)
    replay = replay_of(report, KEY)
    plain = [
        json.dumps(link, sort_keys=True, separators=(",", ":"), ensure_ascii=False) for link in plain_links(replay)
    ]
    assert list(links(replay)) == plain
    chained = bytes(32)
    for text in plain:
        chained = hashlib.sha256(chained + text.encode("utf-8")).digest()
    assert replay.chain == chained == chain_of(replay)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: replace(r, seed=bytes(32)),
        lambda r: replace(r, fingerprint=bytes(32)),
        lambda r: replace(r, prefixes=(*r.prefixes[:-1], b"abcd")),
        lambda r: replace(r, end=replace(r.end, end="stalled?")),
        lambda r: replace(r, end=replace(r.end, totals=(0, 0, 0))),
        lambda r: replace(r, end=replace(r.end, ranks=(1, 1, 1))),
        lambda r: replace(r, end=replace(r.end, retired=(2,))),
        lambda r: replace(r, header=replace(r.header, match_id="other")),
        lambda r: replace(r, header=replace(r.header, commitment="00")),
        lambda r: replace(r, header=replace(r.header, seats=r.header.seats[::-1])),
        lambda r: replace(r, header=replace(r.header, clock=replace(r.header.clock, allowance_ms=7))),
        lambda r: replace(r, choices=r.choices[:-1]),
        lambda r: replace(r, choices=(replace(r.choices[0], charged_ms=77), *r.choices[1:])),
        lambda r: replace(r, choices=(replace(r.choices[0], note="x"), *r.choices[1:])),
        lambda r: replace(r, choices=(replace(r.choices[0], fault="timeout"), *r.choices[1:])),
        lambda r: replace(r, choices=(replace(r.choices[0], action=r.choices[1].action), *r.choices[1:])),
    ],
)
def test_the_chain_runs_over_everything(change) -> None:  # type: ignore[no-untyped-def]
    replay = replay_of(short_match(0))
    assert replay.choices[0].action != replay.choices[1].action
    changed: Replay = change(replay)
    assert changed != replay
    assert chain_of(changed) != replay.chain


def caught(stored: bytes) -> str:
    with pytest.raises(ReplayError) as raised:
        decode_replay(stored)
    return str(raised.value)


def test_any_byte_changed_is_noticed() -> None:
    stored = encode_replay(short_match(0))
    for place in range(len(stored)):
        for flip in (0x01, 0x10, 0x80, 0xFF):
            changed = bytearray(stored)
            changed[place] ^= flip
            assert "seal differs" in caught(bytes(changed))


def test_without_the_seal_changes_would_go_unnoticed() -> None:
    # What the seal is for: bits that mean nothing to zstd, so that its own checksum still fits.
    body = encode_replay(short_match(0))[: -packing._SEAL_FRAME_BYTES]
    plain = zstandard.ZstdDecompressor().decompress(body)
    unnoticed = 0
    for place in range(len(body)):
        changed = bytearray(body)
        changed[place] ^= 0x10
        try:
            unnoticed += zstandard.ZstdDecompressor().decompress(bytes(changed)) == plain
        except zstandard.ZstdError:
            continue
    assert unnoticed > 0


@pytest.mark.long
@pytest.mark.parametrize("number", range(5))
def test_any_bit_changed_is_noticed(number: int) -> None:
    stored = encode_replay(played_match(number))
    for bit in range(8 * len(stored)):
        changed = bytearray(stored)
        changed[bit // 8] ^= 1 << bit % 8
        caught(bytes(changed))


def test_what_is_cut_or_goes_on_is_noticed() -> None:
    stored = encode_replay(short_match(0))
    for length in range(len(stored)):
        assert "seal differs" in caught(stored[:length])
    assert "seal differs" in caught(stored + b"\0")
    assert "seal differs" in caught(b"{}")


def test_the_zstd_tool_reads_it() -> None:
    stored = encode_replay(short_match(0))
    reader = zstandard.ZstdDecompressor().stream_reader(stored, read_across_frames=True)
    frames = packing.unpack(stored)
    assert reader.read() == b"".join(map(packing._delimited, frames))
    assert len(frames) == 4


def repacked(stored: bytes, change) -> bytes:  # type: ignore[no-untyped-def]
    """A sealed file whose frames were changed, as a forger could write it."""
    frames = [replay_pb2.ReplayFrame.FromString(payload) for payload in packing.unpack(stored)]
    frames = change(frames) or frames
    *rest, last = [frame.SerializeToString() for frame in frames]
    return packing.pack(rest, incompressible=last)


def noted(**parts: Any) -> replay_pb2.ReplayNote:
    """A note with the second decision."""
    return replay_pb2.ReplayNote(decision=1, **parts)


def keyed(frames: list[replay_pb2.ReplayFrame]) -> Any:
    """The notes of a replay that is given a private key."""
    frames[3].proof.private_key = KEY
    return frames[1].play.notes


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f[::-1], "has frames"),
        (lambda f: f[:-1], "has frames"),
        (lambda f: setattr(f[0].header, "format", 3), "is of replay format 3; this program reads formats 1 and 2"),
        (lambda f: setattr(f[0].header, "game", "chess@1"), "chess@1"),
        (lambda f: setattr(f[0].header, "game", "container@9"), "container@9"),
        (lambda f: setattr(f[0].header.options.container, "seats", 9), "header cannot be read"),
        (lambda f: f[1].play.charged_ms.pop(), "charged times for"),
        (lambda f: f[1].play.kinds.pop(), "by kind"),
        (lambda f: f[1].play.groups.add(kind=99), "by kind"),
        (lambda f: f[1].play.groups.add(kind=f[1].play.groups[0].kind), "by kind"),
        (lambda f: f[1].play.faults.add(decision=0, fault=0), "without a known reason"),
        (lambda f: f[1].play.faults.add(decision=10**6, fault=1), "a decision that it does not have"),
        (lambda f: f[1].play.notes.extend([noted(digest=bytes(32))] * 2), "note twice"),
        (lambda f: f[1].play.notes.append(noted(text="a")), "has the text of its note 2 without its salt"),
        (
            lambda f: f[1].play.notes.append(noted(text="a", salt=bytes(15))),
            "the text of its note 2 without its salt",
        ),
        (
            lambda f: f[1].play.notes.append(noted(digest=bytes(31))),
            "has neither text nor digest of its note 2",
        ),
        (lambda f: setattr(f[3].proof, "private_key", bytes(15)), "has a private key of 15 bytes"),
        (lambda f: setattr(f[3].proof, "private_key", bytes(16)), "has a private key, but no private text"),
        (lambda f: keyed(f).append(noted(digest=bytes(32))), "has no text of its note 2, or more than that"),
        (
            lambda f: keyed(f).append(noted(text="a", salt=bytes(16))),
            "has no text of its note 2, or more than that",
        ),
        (lambda f: f[2].end.first_faults.add(seat=3, digest=bytes(32)), "a first fault of seat 3 twice, or for a seat"),
        (lambda f: f[2].end.open_first_faults.extend("abc"), "first faults in a form that format 2 does not have"),
        (lambda f: f[0].header.seats.pop(), "has 2 bots for 3 seats"),
        (lambda f: f[2].end.totals.pop(), "has 2 totals for 3 seats"),
        (lambda f: f[2].end.ranks.append(1), "has 4 ranks for 3 seats"),
        (lambda f: setattr(f[3].proof, "seed", b"x"), "has a seed of 1 bytes, not 32"),
        (lambda f: setattr(f[3].proof, "chain", b""), "has a chained hash of 0 bytes, not 32"),
        (lambda f: setattr(f[3].proof, "fingerprint", bytes(31)), "has a fingerprint of 31 bytes, not 32"),
        (lambda f: setattr(f[3].proof, "commitment", bytes(33)), "has a commitment of 33 bytes, not 32"),
        (lambda f: setattr(f[3].proof, "fingerprints", b"abcde"), "no multiple of 4"),
    ],
)
def test_what_does_not_fit_together_is_told(change, said: str) -> None:  # type: ignore[no-untyped-def]
    def apply(frames):  # type: ignore[no-untyped-def]
        answer = change(frames)
        return answer if isinstance(answer, list) else None

    assert said in caught(repacked(encode_replay(short_match(0)), apply))


def test_an_unknown_kind_of_action_is_told() -> None:
    def change(frames: list[replay_pb2.ReplayFrame]) -> None:
        play = frames[1].play
        play.kinds[0] = 99
        play.groups.add(kind=99, actions=[b""])
        next(group for group in play.groups if len(group.actions) > 1).actions.pop()

    said = caught(repacked(encode_replay(short_match(0)), change))
    assert "by kind" in said or "of kind 99" in said


def test_frames_that_lie_about_their_length() -> None:
    for plain in (b"\x80", b"\xff" * 9, b"\x05abc"):
        body = zstandard.ZstdCompressor(write_checksum=True).compress(plain)
        assert "is no replay: a frame" in caught(packing._sealed(body))
    assert "unpacked" in caught(packing._sealed(b"no zstd at all"))
    twice = zstandard.ZstdCompressor().compress(b"x") * 2
    assert "not one zstd frame" in caught(packing._sealed(twice))


def test_a_decision_of_random_play_takes_few_bytes() -> None:
    replays = [encode_replay(played_match(number)) for number in range(6)]
    decisions = sum(len(decode_replay(stored).choices) for stored in replays)
    assert sum(map(len, replays)) / decisions < 5.0  # the bound of design 13 is 6.3
