"""A bot without I/O that writes down what it was told: for simulations, and for bots against a server that is killed.

Its actions follow from match, seat, decision, and how often it was asked for that: asked again, it answers otherwise,
so that an answer that was lost cannot be made up for. An answer counts as acknowledged once a message came that
follows from it, on the same stream.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from gavelport.v1 import referee_pb2 as pb
from gavelport_codecs.registry import codec_for
from gavelport_engine.registry import game_named
from gavelport_engine.rng import Stream


@dataclass
class _Match:
    seat: int
    options: Any
    last_event: int = 0
    open: int = 0
    """The decision that can be answered; 0 for none."""
    waiting: dict[int, bytes] = field(default_factory=dict)
    """Answers sent on this stream that nothing has followed from yet, by decision."""


@dataclass
class Ledger:
    """What a bot was told, over all its streams and lives."""

    begun: set[tuple[str, int]] = field(default_factory=set)
    """Matches and seats."""
    begun_again: int = 0
    """How often a match's start was told that the bot knew of, from this life or an earlier one."""
    acknowledged: dict[tuple[str, int], dict[int, bytes]] = field(default_factory=dict)
    """By match and seat: answers by decision, as serialised GameActions."""
    ends: dict[str, bytes] = field(default_factory=dict)
    """The MatchEnd of each match that is over, void ones left out."""
    voids: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


class ScriptedBot:
    """One bot process."""

    def __init__(self, game: str = "container", version: str = "1", max_matches: int = 2) -> None:
        self.version = version
        self.ledger = Ledger()
        self.matches: dict[str, _Match] = {}
        self._game = game_named(game)
        self._codec = codec_for(game)
        self._max_matches = max_matches
        self._session_token = ""
        self._asked: Counter[tuple[str, int, int]] = Counter()

    def hello(self) -> bytes:
        """Return what opens a stream."""
        hello = pb.Hello(
            protocol_version=1,
            sdk="scripted",
            bot_version=self.version,
            games=[self._game.id],
            max_matches=self._max_matches,
            session_token=self._session_token,
            resume=[pb.Resume(match_id=name, last_event=one.last_event) for name, one in self.matches.items()],
        )
        for match in self.matches.values():
            match.waiting.clear()  # whether they arrived is not known any more
        return pb.PlayRequest(hello=hello).SerializeToString()

    def received(self, content: bytes) -> bytes | None:
        """Take a message; return the answer that it asks for, if it asks."""
        response = pb.PlayResponse.FromString(content)
        kind = response.WhichOneof("message")
        if kind == "welcome":
            self._session_token = response.welcome.session_token
            if not response.welcome.resumed:
                self.matches.clear()
        elif kind == "match_start":
            self._start(response.match_start)
        elif kind == "decision":
            return self._decide(response.decision)
        elif kind == "events":
            self._advance(response.events.match_id, response.events.last_event)
        elif kind == "refused":
            match = self.matches.get(response.refused.match_id)
            if match is not None and response.refused.code not in ("already_answered", "wrong_decision"):
                match.waiting.pop(response.refused.decision_id, None)
                if response.refused.decision_id == match.open and not response.refused.tries_left:
                    match.open = 0
        elif kind == "match_end":
            self._end(response.match_end)
        return None

    def sent(self, answer: bytes) -> None:
        """Take note that an answer went out."""
        said = pb.PlayRequest.FromString(answer).answer
        match = self.matches.get(said.match_id)
        if match is not None and said.decision_id == match.open:
            match.waiting[said.decision_id] = said.action.SerializeToString(deterministic=True)

    # -- details

    def _start(self, start: pb.MatchStart) -> None:
        known = self.matches.get(start.match_id)
        self.ledger.begun_again += (start.match_id, start.seat) in self.ledger.begun
        self.ledger.begun.add((start.match_id, start.seat))
        if known is None:
            self.matches[start.match_id] = _Match(start.seat, self._codec.decode_options(start.options))
        elif known.seat != start.seat:
            self.ledger.problems.append(f"{start.match_id}: seat {known.seat} became seat {start.seat}")

    def _decide(self, decision: pb.Decision) -> bytes:
        match = self.matches[decision.match_id]
        self._advance(decision.match_id, decision.last_event)
        match.open = decision.decision_id
        observed = self._codec.decode_observation(decision.observation, match.options)
        asked = self._game.observed_decision(observed)
        assert asked is not None
        key = decision.match_id, match.seat
        if decision.decision_id in self.ledger.acknowledged.get(key, {}):
            self.ledger.problems.append(
                f"{key[0]}: decision {decision.decision_id} is asked again, though acknowledged"
            )
        self._asked[(*key, decision.decision_id)] += 1
        draws = f"{key} {decision.decision_id} {self._asked[(*key, decision.decision_id)]}"
        action = asked.space.sample(Stream(draws.encode(), "scripted"))
        answer = pb.Answer(
            match_id=decision.match_id, decision_id=decision.decision_id, action=self._codec.action(action)
        )
        return pb.PlayRequest(answer=answer).SerializeToString()

    def _advance(self, match_id: str, last_event: int) -> None:
        """Events beyond those that the bot knew when it was asked: its answers have taken effect."""
        match = self.matches.get(match_id)
        if match is None:
            return
        if last_event > match.last_event:
            self._acknowledge(match_id, match)
        match.last_event = max(last_event, match.last_event)

    def _acknowledge(self, match_id: str, match: _Match) -> None:
        acknowledged = self.ledger.acknowledged.setdefault((match_id, match.seat), {})
        for decision_id, action in match.waiting.items():
            if acknowledged.setdefault(decision_id, action) != action:
                self.ledger.problems.append(f"{match_id}: decision {decision_id} was acknowledged twice, differently")
        match.waiting.clear()

    def _end(self, end: pb.MatchEnd) -> None:
        match = self.matches.pop(end.match_id, None)
        if end.is_void:
            self.ledger.voids.add(end.match_id)
            return
        if match is not None:
            self._acknowledge(end.match_id, match)
        content = end.SerializeToString(deterministic=True)
        if self.ledger.ends.setdefault(end.match_id, content) != content:
            self.ledger.problems.append(f"{end.match_id}: two different ends")
