"""The referee's own reason codes: a closed list, for programs. `docs/protocol.md` lists them all.

They come as `code` of Refused and Notice. Beside them stand, in Refused, the codes of the game that is played
(`Game.fault_codes`), which say why an action is against its rules.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Code(enum.StrEnum):
    """Why the referee refuses a message or plays the default."""

    ALREADY_ANSWERED = "already_answered"
    TOO_LATE = "too_late"
    WRONG_DECISION = "wrong_decision"
    RETIRED = "retired"
    UNREADABLE = "unreadable"
    NOTE_TOO_LONG = "note_too_long"
    TIMEOUT = "timeout"
    UNKNOWN_EVENT = "unknown_event"

    UNKNOWN_MATCH = "unknown_match"
    MALFORMED = "malformed"
    HELLO_TWICE = "hello_twice"
    FENCED = "fenced"
    SUPERSEDED = "superseded"
    NOT_PAIRED = "not_paired"
    PROBATION = "probation"
    VOIDED = "voided"
    DRAINING = "draining"


MEANINGS: Mapping[Code, str] = {
    Code.ALREADY_ANSWERED: "This decision was answered before, and that answer was taken. Harmless.",
    Code.TOO_LATE: "The default was played for this decision: its time was out, or its tries were used up.",
    Code.WRONG_DECISION: "The seat was never asked a decision with this id.",
    Code.RETIRED: "The seat had too many faults; the referee plays its defaults to the end of the match.",
    Code.UNREADABLE: "The action is missing or cannot be read as one of this game. Costs a try.",
    Code.NOTE_TOO_LONG: "The note is longer than Limits.max_note_bytes. Costs a try.",
    Code.TIMEOUT: "The decision's time ran out and the default was played. Sent without an answer.",
    Code.UNKNOWN_EVENT: "Resume names an event that was never sent; all events are sent again from the first.",
    Code.UNKNOWN_MATCH: "None of this bot's running matches has this id.",
    Code.MALFORMED: "The message is no PlayRequest, or carries nothing that this server knows.",
    Code.HELLO_TWICE: "Hello was said before on this stream.",
    Code.FENCED: "A newer connection of this bot process took over; this one is closed.",
    Code.SUPERSEDED: "Another version of the bot plays from now on; running matches are played to their end.",
    Code.NOT_PAIRED: "The bot gets no new matches; the sentence says why, and what lifts it.",
    Code.PROBATION: "Match after match ended with the seat retired; the bot is paired less often until one does not.",
    Code.VOIDED: "Whoever runs the server ended the match; it counts for nothing.",
    Code.DRAINING: "The server stops soon: no new matches. The bot stays, or tries again until it is back.",
}
