"""What is told of a first fault."""

import pytest
from gavelport_server.conduct.results import WORDS_MOST, first_fault
from gavelport_server.referee.report import SeatFigures


def words(of_referee: str, gone_reason: str = "", complaint: str = "", printed: str = "") -> str:
    return first_fault(SeatFigures(9, 0, 0, 0, (), of_referee), gone_reason, complaint, printed)


@pytest.mark.parametrize(
    ("of_referee", "gone_reason", "complaint", "printed", "told"),
    [
        ("", "", "unreadable", "Warning", ""),
        ("", "its process ended", "", "", ""),
        ("decision 3: timeout: no answer", "", "", "", "decision 3: timeout: no answer"),
        ("decision 3: timeout: no answer", "", "", "Boom", "decision 3: timeout: no answer; it printed: Boom"),
        (
            "decision 3: timeout: no answer",
            "",
            "malformed: no message",
            "Boom",
            "decision 3: timeout: no answer; it was told: malformed: no message; it printed: Boom",
        ),
        ("decision 3: disconnected: away", "exit code 1", "", "", "decision 3: disconnected: exit code 1"),
        ("decision 3: timeout: late", "exit code 1", "", "", "decision 3: timeout: late"),
    ],
)
def test_what_is_known_beside_the_referee_is_told(
    of_referee: str, gone_reason: str, complaint: str, printed: str, told: str
) -> None:
    assert words(of_referee, gone_reason, complaint, printed) == told


def test_what_a_bot_prints_neither_fills_the_table_nor_steers_the_terminal() -> None:
    told = words("decision 1: timeout: late", printed="\x1b[2J" + "ha" * 1000)
    assert len(told) == WORDS_MOST
    assert told.startswith("decision 1: timeout: late; it printed: \N{REPLACEMENT CHARACTER}[2Jhaha")
    assert told.endswith("a…")
    assert told.isprintable()
