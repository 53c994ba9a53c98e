"""The laws that every game keeps (design: "The game interface"), as functions for every game.

Each takes a game and something to try it on, returns nothing, and raises LawBroken with the place.
`check_play` runs all that need no more than a seed along one random play.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

from gavelport_engine.errors import NotationError
from gavelport_engine.game import SPECTATOR
from gavelport_engine.rng import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gavelport_engine.game import AnyGame, Json, Trace, Viewer
    from gavelport_engine.rng import Rng

_MOST_ORDERS = 24
_STRAYS = 12
_MOST_DECISIONS = 100_000


class LawBroken(AssertionError):  # noqa: N818  # reads as what it says: a law was broken
    """A game does not keep a law; the text says which and where."""


class Twin(Protocol):
    """What non-interference needs of a game: another position that looks the same to a viewer."""

    def __call__(self, state: Any, viewer: Viewer, rng: Rng, answer: Mapping[int, Any] | None = None) -> Any:
        """Return a state that differs from this one only in what the viewer may not know.

        Given an answer that is about to be played, what the rules make public by it (a card that is turned up, a
        payment that falls due) must stay as it is.
        """
        ...


def canonical(value: Json) -> str:
    """Return JSON text with keys sorted and no white space."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _require(kept: bool, game: AnyGame, law: str, where: str) -> None:
    if not kept:
        raise LawBroken(f"{game.id}: {law}: {where}")


def check_play(game: AnyGame, options: Any, seed: bytes, twin: Twin | None = None) -> int:
    """Check every law along a random play; return its number of decisions.

    The play of another process is left to `trail.check_other_process`.
    """
    rng = Stream(seed, "laws")
    everyone = range(game.seats(options))
    viewers: tuple[Viewer, ...] = (*everyone, SPECTATOR)
    state = game.initial_state(options, seed)
    decisions = 0
    strays: deque[Any] = deque([None, 7, "pass"], _STRAYS)  # answers given before: mostly wrong by now
    while seats := game.to_act(state):
        check_notation(game, state)
        check_spaces(game, state, everyone, rng, strays)
        check_copy(game, state)
        check_observations(game, state, everyone)
        if twin is not None:
            for viewer in viewers:
                check_noninterference(game, state, twin, viewer, rng, strays)
        actions = {seat: game.decision(state, seat).space.sample(rng) for seat in seats}
        check_commuting(game, state, actions)
        state = check_pure(game, state, actions)
        decisions += len(seats)
        _require(decisions < _MOST_DECISIONS, game, "every play ends", f"not after {decisions} decisions")
        strays += actions.values()
    check_notation(game, state)
    check_end(game, state, everyone)
    return decisions


def check_notation(game: AnyGame, state: Any) -> None:
    """decode(encode(x)) == x for a position and for every answer sampled; the fingerprint is its.

    While sealed answers are out, positions are compared as notation: what came with a sealed answer
    is not told apart there.
    """
    written = game.to_notation(state)
    text = canonical(written)
    try:
        read = game.from_notation(json.loads(text))
    except NotationError as error:
        raise LawBroken(f"{game.id}: notation: cannot read its own position: {error}") from error
    _require(canonical(game.to_notation(read)) == text, game, "notation: encode(decode(x)) == x", text)
    sealed = any(game.decision(state, seat).sealed for seat in game.to_act(state))
    _require(sealed or read == state, game, "notation: decode(encode(x)) == x", text)
    digest = hashlib.sha256(text.encode()).digest()
    _require(game.fingerprint(state) == digest, game, "fingerprint is SHA-256 of the notation", text)


def check_spaces(game: AnyGame, state: Any, everyone: Iterable[int], rng: Rng, strays: Iterable[object] = ()) -> None:
    """`fault` is None exactly when the space contains it; `sample` and `default` are without fault.

    The space out of the seat's observation says the same. `strays` are further actions to ask about.
    """
    seats = game.to_act(state)
    asked: list[Any] = [*strays]
    for seat in seats:
        decision = game.decision(state, seat)
        told = decision.sealed == (decision.phase in game.sealed_phases)
        _require(told, game, "sealed_phases are those whose decisions are sealed", decision.phase)
        space = decision.space
        mild = [space.sample(rng), game.default(state, seat)]
        for action in mild:
            fault = game.fault(state, seat, action)
            _require(fault is None, game, "sample and default are legal", f"seat {seat}: {action}: {fault}")
        listed = space.enumerate()
        if listed is not None:
            actions = list(listed)
            faults = [action for action in actions if not space.contains(action)]
            _require(not faults, game, "enumerate lists legal actions", f"seat {seat}: {faults}")
            same = actions == list(space.enumerate() or ())
            _require(same, game, "enumerate has a fixed order", f"seat {seat}")
            _require(all(a in actions for a in mild), game, "enumerate lists all", f"seat {seat}: {mild}")
            mild += actions
        asked += mild
    for seat in seats:
        space = game.decision(state, seat).space
        own = game.observed_decision(game.observation(state, seat))
        _require(own is not None, game, "observed_decision is there for who is to act", f"seat {seat}")
        assert own is not None
        for action in asked:
            contained = space.contains(action)
            fault = game.fault(state, seat, action)
            known = fault is None or fault.code in game.fault_codes
            _require(known, game, "every fault has a code of fault_codes", f"{fault}")
            agree = contained == (fault is None) == own.space.contains(action)
            _require(agree, game, "fault, contains and the observation agree", f"seat {seat}: {action}")
            if contained:
                written = game.action_to_notation(action)
                back = game.action_from_notation(json.loads(json.dumps(written)))
                _require(back == action, game, "notation of actions", f"{action} becomes {back}")
    for seat in set(everyone) - set(seats):
        fault = game.fault(state, seat, asked[-1])
        _require(fault is not None, game, "who is not to act may not act", f"seat {seat}")


def check_observations(game: AnyGame, state: Any, everyone: Iterable[int]) -> None:
    """Every viewer has an observation; who is not to act has no open decision in it."""
    seats = game.to_act(state)
    viewers: tuple[Viewer, ...] = (*everyone, SPECTATOR)
    for viewer in viewers:
        seen = game.observation(state, viewer)
        json.dumps(game.observation_to_notation(seen))
        open_ = game.observed_decision(seen) is not None
        _require(open_ == (viewer in seats), game, "observed_decision", f"viewer {viewer}")


def check_copy(game: AnyGame, state: Any) -> None:
    """A copy is equal and shares nothing that a play changes."""
    before = canonical(game.to_notation(state))
    other = game.copy(state)
    _require(other == state, game, "a copy is equal", before)
    seat = game.to_act(other)[0]
    game.apply_in_place(other, {seat: game.default(other, seat)}, None)
    same = canonical(game.to_notation(state)) == before
    _require(same, game, "a copy shares nothing", "its play changed the original")


def check_pure(game: AnyGame, state: Any, actions: dict[int, Any]) -> Any:
    """`apply` leaves the given state as it was, and the form in place does the same; return the next.

    Events come equal with and without other plays between: nothing is kept in the game.
    """
    before = canonical(game.to_notation(state))
    after, trace = game.apply(state, actions)
    _require(canonical(game.to_notation(state)) == before, game, "apply is pure", before)
    again, retrace = game.apply(state, actions)
    _require(_told(game, retrace) == _told(game, trace), game, "apply repeats itself", before)
    in_place = game.copy(state)
    game.apply_in_place(in_place, actions, None)
    _require(after == again == in_place, game, "apply and apply_in_place agree", before)
    return after


def _told(game: AnyGame, trace: Trace[Any]) -> list[str]:
    """Return a trace as text."""
    events = [canonical(game.event_to_notation(event)) for event in trace.events]
    return events + [canonical(p.record) + p.fingerprint.hex() for p in trace.checkpoints]


def check_commuting(game: AnyGame, state: Any, actions: dict[int, Any]) -> None:
    """Answers of several seats that are to act at once: every order, and all together, is one."""
    if len(actions) < 2:
        return
    together, trace = game.apply(state, actions)
    told = _told(game, trace)
    orders = list(itertools.islice(itertools.permutations(actions), _MOST_ORDERS))
    for order in orders:
        one = game.copy(state)
        found: list[str] = []
        for place, seat in enumerate(order):
            one, step = game.apply(one, {seat: actions[seat]})
            waiting = place < len(order) - 1
            found += _told(game, step)
            _require(not (waiting and found), game, "sealed answers tell nothing", f"{order}: {found}")
        _require(one == together and found == told, game, "sealed answers commute", f"{order}")


def check_noninterference(
    game: AnyGame,
    state: Any,
    twin: Twin,
    viewer: Viewer,
    rng: Rng,
    strays: Iterable[object] = (),
) -> None:
    """Two states that differ only in what a viewer may not know are the same to it.

    Its observation and the notation of it, the legality of its own answers (`strays`, which may be
    wrong ones, too), and what it sees of any one answer's events, but for one that reveals what was sealed.
    """
    other = twin(state, viewer, rng)
    seen, alike = game.observation(state, viewer), game.observation(other, viewer)
    written = canonical(game.observation_to_notation(seen))
    same = written == canonical(game.observation_to_notation(alike)) and seen == alike
    _require(same, game, "non-interference: observation", f"viewer {viewer}: {written}")
    seats = game.to_act(state)
    _require(seats == game.to_act(other), game, "non-interference: who acts", written)
    for seat in seats:
        asked = game.decision(state, seat)
        tried = [game.decision(position, seat).space.sample(rng) for position in (state, other, state, other)]
        if seat == viewer:
            for action in (*tried, *strays):
                faults = game.fault(state, seat, action), game.fault(other, seat, action)
                _require(faults[0] == faults[1], game, "non-interference: legality", f"{action}: {faults}")
        if asked.sealed and len(seats) == 1:
            continue
        for action in (*tried, game.default(state, seat)):
            if game.fault(state, seat, action):
                continue
            other = twin(state, viewer, rng, {seat: action})
            if game.fault(other, seat, action):
                continue
            told = [_told_to(game, position, {seat: action}, viewer) for position in (state, other)]
            _require(told[0] == told[1], game, "non-interference: events", f"{viewer}: {action}: {told}")


def _told_to(game: AnyGame, state: Any, actions: dict[int, Any], viewer: Viewer) -> list[str]:
    """Return what a viewer learns of an answer: visible events and, in a play not over, the present."""
    after, trace = game.apply(state, actions)
    shown = [game.visible(event, viewer) for event in trace.events]
    told = [canonical(game.event_to_notation(event)) for event in shown if event is not None]
    if game.to_act(after):
        told.append(canonical(game.observation_to_notation(game.observation(after, viewer))))
    return told


def check_end(game: AnyGame, state: Any, everyone: Iterable[int]) -> None:
    """A finished play has an outcome, one entry a seat, and shows everything to everyone."""
    outcome = game.outcome(state)
    seats = len(tuple(everyone))
    lengths = {len(outcome.totals), len(outcome.ranks), len(outcome.scores)}
    _require(lengths == {seats}, game, "an outcome has one entry a seat", str(outcome))
    _require(min(outcome.ranks) == 1, game, "somebody is first", str(outcome))
    last = game.outcome(state, retired=(0,)).ranks[0]
    _require(last == seats, game, "a retired seat is last", str(outcome))
