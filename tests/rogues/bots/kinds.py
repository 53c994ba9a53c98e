"""All kinds of rogues by name, and how each is blamed."""

from collections.abc import Callable
from dataclasses import dataclass

from . import answers, processes, streams
from .rogue import Rogue


@dataclass(frozen=True)
class Kind:
    """A kind of rogue."""

    make: Callable[[], Rogue]
    reason: str | None = ""
    """That of its first fault; empty for one that does not even harm itself, None where it depends on the machine."""
    words: str = ""
    """What the table must say of its first fault."""
    never_there: bool = False
    """Whether it never comes to a Hello that is taken."""


KINDS = {
    "behaves": Kind(answers.Behaves),
    "hangs": Kind(answers.Hangs, "timeout", "RuntimeError: planted, and caught by nobody's business"),
    "hangs_later": Kind(answers.HangsLater, "timeout", "decision 6: timeout: no answer within "),
    "answers_late": Kind(answers.AnswersLate, "timeout", "decision 1: timeout: no answer within "),
    "dawdles": Kind(answers.Dawdles),
    "sends_junk": Kind(answers.SendsJunk, "timeout", "decision 1: timeout: no answer within "),
    "sends_junk_only": Kind(answers.SendsJunkOnly, "disconnected", "too many messages that cannot be read"),
    "sends_huge": Kind(
        answers.SendsHuge, "disconnected", "decision 3: disconnected: its process ended with exit code 1"
    ),
    "sends_huge_notes": Kind(answers.SendsHugeNotes, "unreadable", "decision 3: unreadable: note_too_long: "),
    "sends_empty_actions": Kind(answers.SendsEmptyActions, "unreadable", "decision 1: unreadable: unreadable: "),
    "plays_illegally": Kind(answers.PlaysIllegally, "illegal", "decision 1: illegal: wrong_phase: "),
    "tries_twice": Kind(answers.TriesTwice),
    "replies_for_ever": Kind(answers.RepliesForEver, "illegal", "decision 1: illegal: wrong_phase: "),
    "floods": Kind(answers.Floods, "disconnected", "too many messages that answer no open decision"),
    "floods_heartbeats": Kind(
        answers.FloodsHeartbeats, "disconnected", "too many messages that answer no open decision"
    ),
    "answers_elsewhere": Kind(answers.AnswersElsewhere),
    "answers_foreign_matches": Kind(answers.AnswersForeignMatches, "timeout", "decision 1: timeout: no answer within "),
    "answers_old_decisions": Kind(answers.AnswersOldDecisions, "timeout", "decision 5: timeout: no answer within "),
    "answers_twice": Kind(answers.AnswersTwice),
    "says_no_hello": Kind(streams.SaysNoHello, "disconnected", "the first message must be Hello", never_there=True),
    "says_nothing": Kind(streams.SaysNothing, "disconnected", "no Hello within 5 s", never_there=True),
    "says_hello_again": Kind(streams.SaysHelloAgain),
    "speaks_another_version": Kind(
        streams.SpeaksAnotherVersion, "disconnected", "the bot speaks protocol version 99", never_there=True
    ),
    "has_another_token": Kind(
        streams.HasAnotherToken, "disconnected", "the token is missing or not valid here", never_there=True
    ),
    "never_reads": Kind(streams.NeverReads, "timeout", "decision 1: timeout: no answer within "),
    "never_reads_and_asks": Kind(streams.NeverReadsAndAsks, "timeout", "decision 1: timeout: no answer within "),
    "half_closes": Kind(streams.HalfCloses, "disconnected", "decision 5: disconnected: not connected within "),
    "disconnects_in_auction": Kind(streams.DisconnectsInAuction, "disconnected", "disconnected: not connected within "),
    "drops_its_answers": Kind(streams.DropsItsAnswers, None),
    "reconnects": Kind(streams.Reconnects, None),
    "reconnects_only": Kind(streams.ReconnectsOnly, None),
    "returns_to_made_up_matches": Kind(streams.ReturnsToMadeUpMatches, None),
    "opens_many_streams": Kind(streams.OpensManyStreams, None),
    "never_connects": Kind(processes.NeverConnects, "disconnected", "it did not connect within 20 s", never_there=True),
    "does_not_start": Kind(
        processes.DoesNotStart, "disconnected", "ModuleNotFoundError: No module named 'planted'", never_there=True
    ),
    "crashes_later": Kind(
        processes.CrashesLater,
        "disconnected",
        "decision 4: disconnected: its process ended with exit code 3: ZeroDivisionError: planted",
    ),
    "crashes_in_auction": Kind(
        processes.CrashesInAuction, "disconnected", "disconnected: its process ended with exit code 4"
    ),
    "answers_and_dies": Kind(
        processes.AnswersAndDies, "disconnected", "decision 6: disconnected: its process ended with exit code -11"
    ),
    "freezes": Kind(processes.Freezes, "timeout", "decision 4: timeout: no answer within "),
    "ignores_sigterm": Kind(processes.IgnoresSigterm),
    "leaves_grandchildren": Kind(
        processes.LeavesGrandchildren, "disconnected", "decision 4: disconnected: its process ended with exit code 0"
    ),
    "prints_much": Kind(processes.PrintsMuch, None),
    "is_two": Kind(processes.IsTwo, None),
}
