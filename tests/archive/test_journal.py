"""The journal's files: what was appended is there again, torn tails are cut, and damage is refused with its place."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest
from gavelport_engine.registry import GAMES
from gavelport_server.archive.errors import JournalError
from gavelport_server.archive.journal import Held, Segments
from gavelport_server.archive.journal_entries import (
    InputKind,
    MatchEntry,
    PastInput,
    entry_bytes,
    entry_of,
    input_bytes,
    input_of,
)
from gavelport_server.archive.journal_format import HEADER_BYTES, Entry, EntryKind, record_bytes
from gavelport_server.referee.report import ClockSetting, MatchSetup, SeatName
from hypothesis import given
from hypothesis import strategies as st

MATCH, INPUT, END, VOID = EntryKind


def opened(data: Path, segment_bytes: int = 1 << 20) -> tuple[Segments, list[Held]]:
    segments = Segments(data, segment_bytes=segment_bytes)
    return segments, segments.recover()


def files(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "journal").iterdir())


def written(data: Path) -> Path:
    """A journal of three records; return its segment."""
    segments, held = opened(data)
    assert held == []
    segments.append([Entry(MATCH, 1, b"one"), Entry(INPUT, 1, b"a")])
    segments.append([Entry(MATCH, 2, b"two"), Entry(INPUT, 1, b"b"), Entry(INPUT, 2, b"c" * 700)])
    segments.append([Entry(INPUT, 1, b"d")])
    segments.close()
    return data / "journal" / "00000001.log"


def test_what_was_appended_is_there_again(tmp_path: Path) -> None:
    written(tmp_path)
    segments, held = opened(tmp_path)
    assert held == [Held(1, b"one", [b"a", b"b", b"d"]), Held(2, b"two", [b"c" * 700])]
    assert segments.next_match == 3
    segments.append([Entry(INPUT, 2, b"e"), Entry(END, 1, b""), Entry(MATCH, 3, b"three")])
    segments.append([Entry(VOID, 3, b"why")])
    segments.close()
    segments, held = opened(tmp_path)
    assert held == [Held(2, b"two", [b"c" * 700, b"e"])]
    assert segments.next_match == 4
    segments.close()


def test_a_torn_tail_is_cut_wherever_it_is_torn(tmp_path: Path) -> None:
    path = written(tmp_path)
    data = path.read_bytes()
    last = len(data) - len(record_bytes(3, [Entry(INPUT, 1, b"d")]))
    for size in (*range(last, len(data), 7), len(data) - 1):
        for tail in (b"", bytes(5)):
            for each in path.parent.iterdir():
                each.unlink()
            path.write_bytes(data[:size] + tail)
            segments, held = opened(tmp_path)
            assert held == [Held(1, b"one", [b"a", b"b"]), Held(2, b"two", [b"c" * 700])]
            assert path.read_bytes() == data[:last]
            segments.append([Entry(INPUT, 1, b"again")])  # and it goes on
            segments.close()
            segments, held = opened(tmp_path)
            assert held[0].inputs == [b"a", b"b", b"again"]
            segments.close()


def test_a_changed_byte_in_the_middle_is_refused_with_its_place(tmp_path: Path) -> None:
    path = written(tmp_path)
    data = path.read_bytes()
    first = len(record_bytes(1, [Entry(MATCH, 1, b"one"), Entry(INPUT, 1, b"a")]))
    for offset in range(HEADER_BYTES + first):
        path.write_bytes(data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :])
        place = f"00000001.log, byte {HEADER_BYTES}: " if offset >= HEADER_BYTES else "00000001.log: its header is not"
        with pytest.raises(JournalError, match=re.escape(place)) as refused:
            opened(tmp_path)
        assert "Restore the data folder from a backup" in str(refused.value)


def test_a_torn_record_that_a_segment_follows_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    opened(tmp_path)[0].close()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(JournalError, match=r"00000001.log, byte \d+: a record is cut short"):
        opened(tmp_path)


def test_a_match_number_with_none_after_it_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes() + record_bytes(4, [Entry(MATCH, 2**32 - 1, b"")]))
    with pytest.raises(JournalError, match=r"00000001.log: match number 4294967295 is more than a journal counts"):
        opened(tmp_path)


def test_a_record_of_another_place_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    data = path.read_bytes()
    second = HEADER_BYTES + len(record_bytes(1, [Entry(MATCH, 1, b"one"), Entry(INPUT, 1, b"a")]))
    path.write_bytes(data + data[second:])
    with pytest.raises(JournalError, match="record 2 stands where record 4 is due, and more follows"):
        opened(tmp_path)


def test_segments_are_deleted_once_their_matches_have_ended(tmp_path: Path) -> None:
    segments, _ = opened(tmp_path, segment_bytes=100)
    for match in range(1, 8):
        segments.append([Entry(MATCH, match, b"setup"), Entry(INPUT, match, b"x" * 100)])
    assert files(tmp_path) == [f"{number:08}.log" for number in range(1, 8)]
    segments.append([Entry(END, 2, b""), Entry(END, 3, b""), Entry(END, 5, b"")])
    segments.append([Entry(INPUT, 1, b"x" * 100)])
    assert len(files(tmp_path)) == 8  # the first match goes on, and holds all
    segments.append([Entry(END, 1, b""), Entry(INPUT, 7, b"x" * 100)])
    segments.append([Entry(INPUT, 7, b"x" * 100)])
    assert files(tmp_path) == [f"{number:08}.log" for number in range(4, 11)]
    segments.close()
    segments, held = opened(tmp_path)
    assert [each.match for each in held] == [4, 6, 7]
    assert [len(each.inputs) for each in held] == [1, 1, 3]
    segments.close()


@pytest.mark.parametrize(
    ("missing", "said"), [(1, "match number 1 has entries and no beginning"), (2, "002.log: is missing")]
)
def test_a_missing_segment_is_noticed(tmp_path: Path, missing: int, said: str) -> None:
    segments, _ = opened(tmp_path, segment_bytes=100)
    for number in range(4):
        segments.append([Entry(INPUT if number else MATCH, 1, b"x" * 100)])
    segments.close()
    (tmp_path / "journal" / f"0000000{missing}.log").unlink()
    with pytest.raises(JournalError, match=said):
        opened(tmp_path)


def test_what_a_crash_left_of_a_new_segment_is_taken_away(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "journal" / "00000002.new").write_bytes(b"half a hea")
    opened(tmp_path)[0].close()
    assert files(tmp_path) == ["00000001.log", "00000002.log"]


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    assert written(tmp_path).stat().st_mode & 0o077 == 0


def test_another_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("gavelport_server.archive.journal_format.FORMAT", 2)
        written(tmp_path)
    with pytest.raises(JournalError, match="is of journal format 2, and this program reads format 1"):
        opened(tmp_path)


@pytest.mark.parametrize("call", ["write", "fdatasync"])
def test_a_disk_that_failed_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def fail(*args: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    segments, _ = opened(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        with pytest.raises(JournalError, match="journal cannot be written: no space is left"):
            segments.append([Entry(MATCH, 1, b"one")])
    with pytest.raises(JournalError, match="is closed"):
        segments.append([Entry(MATCH, 1, b"one")])


# -- entries

times = st.floats(allow_nan=False)
seats = st.integers(0, 255)


others = st.sampled_from([InputKind.START, InputKind.TICK, InputKind.LOST, InputKind.GONE])
answers = st.tuples(times, st.integers(0, 2**64 - 1), st.text(max_size=256), st.binary())
unreadable = st.tuples(times, st.integers(0, 2**64 - 1), st.sampled_from(["unreadable", "note_too_long"]), st.text())
inputs = st.one_of(
    st.tuples(others, times, seats).map(lambda given: PastInput(*given)),
    st.tuples(times, seats, st.integers(0, 2**32 - 1)).map(lambda given: PastInput(InputKind.BACK, *given)),
    answers.map(lambda given: PastInput(InputKind.ANSWER, 1.5, 2, 0, *given)),
    unreadable.map(lambda given: PastInput(InputKind.ANSWER, 1.5, 2, 0, *given[:2], "", b"", *given[2:])),
)


@given(inputs)
def test_an_input_is_read_as_it_was_written(past: PastInput) -> None:
    assert input_of(input_bytes(past)) == past


@given(st.binary(max_size=60))
def test_junk_is_no_input(junk: bytes) -> None:
    try:
        past = input_of(junk)
    except JournalError:
        return
    assert past.kind in InputKind


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_match_is_read_as_it_was_entered(game: object) -> None:
    entry = entry_for(game)
    assert entry_of(entry_bytes(entry)) == entry


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"@1", b"@9"), "is of .*@9, and this program plays .*; start the one that was running before"),
        ((b'"seed":"00', b'"seed":"01'), "its seed is not the one that was committed to"),
        ((b'"seats":[[', b'"seats":[[3,'), r"a match's setup cannot be read \(ValueError\)"),
        ((b"ladder", b"loader"), r"a match's setup cannot be read \(KeyError\)"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(change: tuple[bytes, bytes], said: str) -> None:
    stored = entry_bytes(entry_for(next(iter(GAMES.values()))))
    assert stored.replace(*change) != stored
    with pytest.raises(JournalError, match=said) as refused:
        entry_of(stored.replace(*change))
    assert "00" * 16 not in str(refused.value)


def entry_for(game: object) -> MatchEntry:
    assert game in GAMES.values()
    options = game.options({"seats": 4})  # type: ignore[attr-defined]
    names = tuple(SeatName(f"bot{seat}", f"1.{seat}") for seat in range(4))
    setup = MatchSetup("m1", game, options, bytes(32), names, ClockSetting(1, 2, 3, 4))  # type: ignore[arg-type]
    return MatchEntry(setup, "ladder", "rated", bytes(16))
