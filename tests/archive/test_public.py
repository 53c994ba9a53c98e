"""Copies withhold what is others', verify all the same, and tell nothing of what they withhold."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gavelport.v1.replay_pb2 import ReplayFrame
from gavelport_server.archive.export import jsonl
from gavelport_server.archive.packing import unpack
from gavelport_server.archive.playback import Difference, Playback
from gavelport_server.archive.private import Withheld
from gavelport_server.archive.public import public_copy
from gavelport_server.archive.record import Replay, chain_of
from gavelport_server.archive.replay import decode_replay, encode, encode_replay
from gavelport_server.archive.salvage import what_differs
from gavelport_server.archive.show import shown
from gavelport_server.archive.verify import verify, verify_stored
from rich.console import Console

from tests.archive.folder import SHORT, short_match
from tests.archive.play import played_match

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = b"0123456789abcdef"
OLD = Path(__file__).parent / "old" / "format-1.zst"
NOTES = {number: f"secret thought {number:02}" for number in range(0, 40, 3)}


@pytest.fixture(scope="module")
def stored() -> bytes:
    report = played_match(11, seats=3, options=SHORT, faults={4: "timeout", 9: "illegal"}, notes=NOTES)
    return encode_replay(report, KEY)


def plain(stored: bytes) -> bytes:
    """All that a file holds."""
    return b"".join(unpack(stored))


def texts(replay: Replay) -> Iterator[tuple[int, object]]:
    """Every private text there is, with its seat."""
    yield from ((step.seat, step.choice.note) for step in Playback(replay) if step.choice.note)
    yield from ((seat, words) for seat, words in enumerate(replay.end.first_faults) if words)


@pytest.mark.parametrize("seats", [(), (0,), (1, 2), (0, 1, 2)])
def test_a_copy_keeps_the_texts_of_some_seats_and_verifies(stored: bytes, seats: tuple[int, ...]) -> None:
    whole, copy = decode_replay(stored), public_copy(stored, seats)
    kept, figures = verify_stored(copy)
    assert figures == verify(whole)
    assert kept.chain == whole.chain == chain_of(kept)
    assert len(list(texts(kept))) == len(list(texts(whole))) > len(NOTES)
    for (seat, text), (_, original) in zip(texts(kept), texts(whole), strict=True):
        assert (text == original) if seat in seats else isinstance(text, Withheld)
    assert replace(kept, salts=whole.salts, choices=whole.choices, end=whole.end) == whole
    assert encode(decode_replay(copy)) == copy
    assert jsonl(kept) == jsonl(whole)


def leaks(copy: bytes, whole: bytes, seats: tuple[int, ...]) -> list[str]:
    """What a copy holds that it must not: texts of other seats, the key, salts of other texts."""
    content, replay = plain(copy), decode_replay(whole)
    found = ["key"] if replay.salts.key in content else []
    labels = [(f"note {step.number}", step.seat, step.choice.note) for step in Playback(replay)]
    labels += [(f"first fault {seat}", seat, words) for seat, words in enumerate(replay.end.first_faults)]
    for label, seat, text in labels:
        if text and seat not in seats:
            found += [label] if str(text).encode() in content else []
            found += [f"salt of {label}"] if replay.salts.of(label) in content else []
    return found


@pytest.mark.parametrize("seats", [(), (0,), (2,)])
def test_nothing_of_the_others_is_in_a_copy(stored: bytes, seats: tuple[int, ...]) -> None:
    assert leaks(public_copy(stored, seats), stored, seats) == []


def test_leaks_would_be_found(stored: bytes) -> None:
    found = leaks(stored, stored, ())
    assert "key" in found
    assert "note 1" in found
    assert any(label.startswith("first fault") for label in found)
    assert any(label.startswith("salt of") for label in leaks(public_copy(stored, (0, 1, 2)), stored, ()))


def test_a_text_cannot_be_guessed_from_what_is_public(stored: bytes) -> None:
    """Even the right text gives the digest only with the salt, which follows from nothing that a copy has."""
    copy = decode_replay(public_copy(stored))
    withheld = copy.choices[0].note
    assert isinstance(withheld, Withheld)
    public = [
        b"",
        copy.seed,
        copy.chain,
        copy.fingerprint,
        copy.header.match_id.encode(),
        bytes.fromhex(copy.header.commitment),
    ]
    guesses = [hashlib.sha256(salt[:length] + NOTES[0].encode()).digest() for salt in public for length in (16, 32)]
    guesses += [replace(copy.salts, key=key).digest("note 1", NOTES[0]) for key in public]
    assert withheld.digest not in guesses
    assert withheld.digest == decode_replay(stored).salts.digest("note 1", NOTES[0])


def test_equal_notes_have_unequal_digests() -> None:
    report = played_match(3, seats=3, options=SHORT, notes=dict.fromkeys(range(20), "yes"))
    copy = decode_replay(public_copy(encode_replay(report)))
    digests = [choice.note.digest for choice in copy.choices if isinstance(choice.note, Withheld)]
    assert len(digests) == len(set(digests)) == 20


def test_a_copy_of_a_copy_withholds_no_less(stored: bytes) -> None:
    once = public_copy(stored, (0, 1))
    assert public_copy(once, (0, 1, 2)) == once
    assert public_copy(once, (0,)) == public_copy(stored, (0,))
    assert public_copy(once) == public_copy(stored)


def test_without_private_texts_the_copy_is_the_replay() -> None:
    stored = encode_replay(short_match(0))
    assert public_copy(stored) == public_copy(stored, (1,)) == stored
    assert decode_replay(stored).salts.key == b""


def test_a_text_or_digest_that_was_changed_is_found(stored: bytes) -> None:
    """The chain holds the private parts of whole replays and of copies alike."""
    whole, copy = decode_replay(stored), decode_replay(public_copy(stored))

    def noted(replay: Replay, note: str | Withheld) -> Replay:
        return replace(replay, choices=(replace(replay.choices[0], note=note), *replay.choices[1:]))

    for forged in (
        noted(whole, "another thought"),
        noted(whole, ""),
        noted(copy, Withheld(bytes(32))),
        noted(copy, ""),
        replace(whole, salts=replace(whole.salts, key=bytes(16))),
        replace(copy, end=replace(copy.end, first_faults=("", *copy.end.first_faults[1:]))),
        replace(copy, end=replace(copy.end, first_faults=(*copy.end.first_faults[:2], Withheld(bytes(32))))),
    ):
        if forged != copy:
            with pytest.raises(Difference, match=r"chained hash|first fault"):
                verify(forged)


def test_a_first_fault_that_never_was_is_found(stored: bytes) -> None:
    copy = decode_replay(public_copy(stored))
    innocent = copy.end.first_faults.index("")
    words = [*copy.end.first_faults]
    words[innocent] = Withheld(bytes(32))
    with pytest.raises(Difference, match=rf"first fault of seat {innocent} is withheld; by the decisions: \"\""):
        verify(replace(copy, end=replace(copy.end, first_faults=tuple(words))))


def test_a_damaged_copy_is_told_like_a_replay(stored: bytes) -> None:
    copy = bytearray(public_copy(stored))
    copy[-1] ^= 1
    with pytest.raises(Difference, match="seal differs"):
        verify_stored(bytes(copy))
    assert what_differs(bytes(copy)).startswith("the match that it holds is whole and right")


def test_a_withheld_note_is_shown_as_such(stored: bytes) -> None:
    def text(replay: Replay) -> str:
        console = Console(width=100, highlight=False, color_system=None)
        with console.capture() as capture:
            for piece in shown(replay):
                console.print(piece)
        return capture.get()

    whole, copy = text(decode_replay(stored)), text(decode_replay(public_copy(stored)))
    assert "secret thought 00" in whole
    assert "secret" not in copy
    assert copy.count("│ note withheld") == whole.count("│ secret thought") > 10


# -- keys


def test_the_same_key_writes_the_same_bytes_again() -> None:
    report = played_match(11, seats=3, options=SHORT, notes=NOTES)
    assert encode_replay(report, KEY) == encode_replay(report, KEY)
    assert encode_replay(report, KEY) != encode_replay(report, KEY[::-1])
    assert encode_replay(report) != encode_replay(report)  # random where nobody gives one


# -- the older format


def test_a_replay_of_format_1_is_read_and_verified() -> None:
    stored = OLD.read_bytes()
    replay, figures = verify_stored(stored)
    assert replay.header.format == 1
    assert replay.choices[2].note == "bob wants tan"
    assert replay.end.first_faults == ("", "decision 6: illegal: planted", "decision 2: timeout: planted")
    assert replay.chain.hex() == "a779f0204151ecb93a4e759884fc4fa13e855291f80bc8561b0d11e649606ca3"
    assert len(figures) == 3
    assert encode(replay) == stored
    changed = replace(replay, choices=(replace(replay.choices[0], note="planted"), *replay.choices[1:]))
    with pytest.raises(Difference, match="chained hash"):
        verify(changed)


@pytest.mark.parametrize("seats", [(), (1,)])
def test_a_copy_of_format_1_is_one_of_today(seats: tuple[int, ...]) -> None:
    stored = OLD.read_bytes()
    copy, _ = verify_stored(public_copy(stored, seats))
    assert copy.header.format == 2
    assert copy.salts.key == b""
    content = plain(public_copy(stored, seats))
    assert b"bob wants tan" not in content or seats
    assert (b"illegal: planted" in content) == (1 in seats)
    assert b"timeout: planted" not in content
    assert ReplayFrame.FromString(unpack(stored)[2]).end.open_first_faults[1].endswith("planted")
