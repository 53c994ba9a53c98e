"""Rogues by what their processes do."""

import os
import signal
import subprocess
import sys
import time

from gavelport.v1 import referee_pb2 as pb

from .rogue import Rogue, say


class NeverConnects(Rogue):
    """Runs, and does nothing at all."""

    def play(self) -> None:
        time.sleep(3600)


class DoesNotStart(Rogue):
    """Fails before it connects."""

    def play(self) -> None:
        raise ModuleNotFoundError("No module named 'planted'")


class CrashesLater(Rogue):
    """Ends without a word at its fourth decision."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == 4:
            say("ZeroDivisionError: planted")
            os._exit(3)
        super().decide(decision)


class CrashesInAuction(Rogue):
    """Ends while sealed bids are open."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.sealed:
            os._exit(4)
        super().decide(decision)


class AnswersAndDies(Rogue):
    """Is killed by a signal right behind its fifth answer."""

    def decide(self, decision: pb.Decision) -> None:
        super().decide(decision)
        if decision.decision_id == 5:
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGSEGV)


class Freezes(Rogue):
    """Stops its own process at its fourth decision, connected as it is."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == 4:
            os.kill(os.getpid(), signal.SIGSTOP)
        super().decide(decision)


class IgnoresSigterm(Rogue):
    """Plays on, and does not end when it is asked to."""

    def play(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        super().play()
        time.sleep(3600)


class LeavesGrandchildren(Rogue):
    """Starts processes in sessions of their own, whose parents end at once, and then ends itself."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == 4:
            for _ in range(5):
                subprocess.run(["/bin/sh", "-c", "trap '' TERM HUP; setsid sleep 3600 &"], check=True)
            os._exit(0)
        super().decide(decision)


class PrintsMuch(Rogue):
    """Prints 50 MB to stderr before its third answer."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == 3:
            say("MemoryError: planted; and much more of it")
            for _ in range(50):
                os.write(2, b"x" * 999_999 + b"\n")
        super().decide(decision)


class IsTwo(Rogue):
    """Plays as two processes with one token; whenever one takes over, the other comes back."""

    SECOND = "ROGUE_IS_SECOND"

    def play(self) -> None:
        if self.SECOND not in os.environ:
            subprocess.Popen([sys.executable, *sys.argv], env=os.environ | {self.SECOND: "1"})
        while self.come_back():
            time.sleep(0.02)
