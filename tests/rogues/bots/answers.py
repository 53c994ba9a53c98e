"""Rogues by what they answer, or fail to."""

import time

from gavelport.v1 import referee_pb2 as pb

from .rogue import CODEC, Rogue, say


class Behaves(Rogue):
    """Plays by the rules; whoever fails because of the bare protocol fails here."""


class Hangs(Rogue):
    """Stays connected and never answers."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == 1:
            say("RuntimeError: planted, and caught by nobody's business")


class HangsLater(Rogue):
    """Answers some decisions, and no more from its sixth on."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id < 6:
            super().decide(decision)


class AnswersLate(Rogue):
    """Answers every third decision after its time is out."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id % 3 == 1:
            time.sleep(decision.time_ms / 1000 + 0.05)
        super().decide(decision)


class Dawdles(Rogue):
    """Takes more time for each of ten decisions than it gets for them: slow, and never at fault."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id <= 10:
            time.sleep(0.3)
        super().decide(decision)


class SendsJunk(Rogue):
    """Sends bytes that are no message in place of every other answer."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id % 2:
            self.put(b"\xff\x00 no protobuf" * 10)
        else:
            super().decide(decision)


class SendsJunkOnly(Rogue):
    """Sends junk until the server has had enough of it."""

    def decide(self, decision: pb.Decision) -> None:
        for number in range(100):
            self.put(bytes([number, 255, 1]) * 1000)


class SendsHuge(Rogue):
    """Sends a message far above the limit at its third decision."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id < 3:
            super().decide(decision)
        else:
            self.send(pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, note="x" * 1_000_000))


class SendsHugeNotes(Rogue):
    """Sends notes above the limit along with good actions, at every third decision."""

    def decide(self, decision: pb.Decision) -> None:
        answer = self.answer(decision)
        if decision.decision_id % 3:
            self.send(answer)
            return
        answer.note = "é" * 10_000
        for _ in range(3):
            self.send(answer)


class SendsEmptyActions(Rogue):
    """Answers without an action, as often as it may."""

    def decide(self, decision: pb.Decision) -> None:
        self.send(pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id))

    def refused(self, refused: pb.Refused) -> None:
        if refused.tries_left:
            self.send(pb.Answer(match_id=refused.match_id, decision_id=refused.decision_id))


class PlaysIllegally(Rogue):
    """Bids more than anybody has, whatever it is asked, as often as it may."""

    def decide(self, decision: pb.Decision | pb.Refused) -> None:
        bid = CODEC.action(CODEC.game.action_from_notation({"type": "bid", "amount": 9_999}))
        self.send(pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, action=bid))

    def refused(self, refused: pb.Refused) -> None:
        if refused.tries_left:
            self.decide(refused)


class TriesTwice(PlaysIllegally):
    """Answers illegally twice and well the third time, at every decision: refused all the time, never at fault."""

    def decide(self, decision: pb.Decision | pb.Refused) -> None:
        assert isinstance(decision, pb.Decision)
        super().decide(decision)
        super().decide(decision)
        self.send(self.answer(decision))

    def refused(self, refused: pb.Refused) -> None:
        """Go on as it was going to."""


class RepliesForEver(PlaysIllegally):
    """Answers every refusal again, long after the decision is over."""

    def refused(self, refused: pb.Refused) -> None:
        self.decide(refused)


class Floods(Rogue):
    """Pours out answers to its first decision, fifty thousand of them, before it answers its fourth."""

    def decide(self, decision: pb.Decision) -> None:
        for _ in range(50_000 if decision.decision_id == 4 else 0):
            self.send(pb.Answer(match_id=decision.match_id, decision_id=1))
        super().decide(decision)


class FloodsHeartbeats(Rogue):
    """Asks whether the referee is there, fifty thousand times in a row, at its third decision."""

    def decide(self, decision: pb.Decision) -> None:
        if decision.decision_id == 3:
            for number in range(50_000):
                self.put(pb.PlayRequest(heartbeat=pb.Heartbeat(number=number)).SerializeToString())
        super().decide(decision)


class AnswersElsewhere(Rogue):
    """Answers to other matches and decisions at each of thirty; the right answer is among it."""

    def decide(self, decision: pb.Decision) -> None:
        right = self.answer(decision)
        if decision.decision_id > 30:  # more would be counted as a flood
            self.send(right)
            return
        for wrong in (
            pb.Answer(match_id="0" * 20, decision_id=decision.decision_id, action=right.action),
            pb.Answer(match_id="x" * 10_000, decision_id=decision.decision_id, action=right.action),
            pb.Answer(match_id=right.match_id, decision_id=right.decision_id + 1000, action=right.action),
            pb.Answer(match_id=right.match_id, decision_id=2**64 - 1, action=right.action),
            right,
        ):
            self.send(wrong)


class AnswersForeignMatches(Rogue):
    """Answers to matches that it does not play in, and to none that it does."""

    def decide(self, decision: pb.Decision) -> None:
        right = self.answer(decision)
        for number in range(20):
            self.send(pb.Answer(match_id=f"{number:020x}", decision_id=right.decision_id, action=right.action))


class AnswersOldDecisions(Rogue):
    """From its fifth decision on answers again what it was asked before, and nothing else."""

    def decide(self, decision: pb.Decision) -> None:
        answer = self.answer(decision)
        if decision.decision_id >= 5:
            answer.decision_id -= 1
        self.send(answer)


class AnswersTwice(Rogue):
    """Sends every answer twice, and the second time with another action."""

    def decide(self, decision: pb.Decision) -> None:
        answer = self.answer(decision)
        self.send(answer)
        self.send(answer)
        self.send(pb.Answer(match_id=answer.match_id, decision_id=answer.decision_id))
