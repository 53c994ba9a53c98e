"""The laws of the game interface for every registered game; and each is shown to catch a fault."""

from typing import Any

import pytest
from gavelport_engine.conformance import laws
from gavelport_engine.conformance.laws import LawBroken, check_noninterference, check_play
from gavelport_engine.conformance.trail import check_other_process, trail
from gavelport_engine.container import hidden
from gavelport_engine.container.actions import Pass
from gavelport_engine.container.rules import CONTAINER, Container
from gavelport_engine.game import SPECTATOR, AnyGame, Game, Viewer
from gavelport_engine.playout import playout
from gavelport_engine.registry import GAMES
from gavelport_engine.rng import Stream
from gavelport_engine.shipping.hidden import twin as shipping_twin

from tests.engine import planted

TWINS: dict[str, laws.Twin] = {"container": hidden.twin, "shipping": shipping_twin}
# Short plays of every kind: option sets by game.
SHORT: dict[str, list[dict[str, Any]]] = {
    "container": [
        {"seats": 3, "max_rounds": 30},
        {"seats": 4, "max_rounds": 15, "domestic_sale": True},
        {"seats": 5, "max_rounds": 12, "seized_to": "supply", "supply_per_player": 2},
    ],
    "shipping": [{"seats": 2}, {"seats": 3, "years": 3, "no_elimination": True}, {"seats": 4, "years": 5}],
}
WHOLE: dict[str, list[dict[str, Any]]] = {
    "container": [
        *({"seats": n} for n in (3, 4, 5)),
        {"domestic_sale": True},
        {"seized_to": "supply"},
        {"supply_per_player": 2},
        {"stall_rounds": 3},
        {"max_rounds": 200, "stall_rounds": 0},
    ],
    "shipping": [
        *({"seats": n} for n in (2, 3, 4, 5)),
        *({"years": years, "no_elimination": True} for years in (3, 4, 5)),
        {"seats": 5, "years": 5, "no_elimination": True},
    ],
}


def seed(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _plays(options: dict[str, list[dict[str, Any]]]) -> list[tuple[AnyGame, dict[str, Any]]]:
    return [(game, given) for name, game in GAMES.items() for given in options[name]]


@pytest.mark.parametrize(("game", "given"), _plays(SHORT))
def test_every_law_along_a_random_play(game: AnyGame, given: dict[str, Any]) -> None:
    assert check_play(game, game.options(given), seed(1), TWINS[game.name]) > 50


@pytest.mark.long
@pytest.mark.parametrize(("game", "given"), _plays(WHOLE))
@pytest.mark.parametrize("number", range(5))
def test_every_law_along_whole_plays(game: AnyGame, given: dict[str, Any], number: int) -> None:
    """Short ones too: two companies that play at random are soon bankrupt."""
    assert check_play(game, game.options(given), seed(number), TWINS[game.name]) > 20


@pytest.mark.parametrize("name", GAMES)
def test_another_process_plays_the_same(name: str) -> None:
    check_other_process(GAMES[name], {}, seed(7))


@pytest.mark.parametrize("name", GAMES)
def test_seeds_differ(name: str) -> None:
    game = GAMES[name]
    lines = {"\n".join(trail(game, game.options({}), seed(number))) for number in range(3)}
    assert len(lines) == 3


def pairs(game: AnyGame, given: dict[str, Any], wanted: int) -> int:
    """Check so many pairs of positions that a viewer cannot tell apart."""
    options, found, number = game.options(given), 0, 0
    viewers: tuple[Viewer, ...] = (*range(game.seats(options)), SPECTATOR)
    while found < wanted:
        number += 1
        rng = Stream(seed(number), "pairs")
        state = game.initial_state(options, seed(number))
        while (seats := game.to_act(state)) and found < wanted:
            viewer = viewers[rng.below(len(viewers))]
            check_noninterference(game, state, TWINS[game.name], viewer, rng)
            found += 1
            seat = seats[rng.below(len(seats))]  # one at a time: sealed rounds half answered too
            action = game.decision(state, seat).space.sample(rng)
            game.apply_in_place(state, {seat: action}, None)
    return found


@pytest.mark.parametrize(("game", "given"), _plays(SHORT))
def test_secrets_do_not_interfere(game: AnyGame, given: dict[str, Any]) -> None:
    assert pairs(game, given, 150) == 150


@pytest.mark.long
@pytest.mark.parametrize(("game", "given"), _plays(WHOLE))
def test_secrets_do_not_interfere_in_10000_pairs(game: AnyGame, given: dict[str, Any]) -> None:
    assert pairs(game, given, 10_000 // len(WHOLE[game.name]) + 1) > 0


def test_twins_do_differ() -> None:
    """The law would hold of equal positions: twins must not be those."""
    state, rng = CONTAINER.initial_state(CONTAINER.options({}), seed(1)), Stream(seed(1), "x")
    others = [hidden.twin(state, 0, rng) for _ in range(20)]
    assert all(other.cash[0] == state.cash[0] for other in others)
    assert all(other.cards[0] == state.cards[0] for other in others)
    assert len({tuple(other.cash) for other in others}) > 10
    assert len({other.cards for other in others}) > 5


@pytest.mark.parametrize(
    ("game", "law"),
    [
        (planted.LeakyObservation(), "non-interference: observation"),
        (planted.LeakyEvents(), "non-interference: events"),
        (planted.LeakyFault(), "non-interference: legality"),
        (planted.Lenient(), "fault, contains and the observation agree"),
        (planted.Uncoded(), "every fault has a code"),
        (planted.Unannounced(), "sealed_phases are those whose decisions are sealed"),
        (planted.EarlyBird(), "sealed answers commute"),
        (planted.Talkative(), "sealed answers tell nothing"),
        (planted.Impure(), "a copy shares nothing"),
        (planted.Forgetful(), "notation: decode"),
        (planted.OddFingerprint(), "fingerprint is SHA-256"),
        (planted.WildDefault(), "sample and default are legal"),
        (planted.NoLast(), "a retired seat is last"),
    ],
)
def test_a_planted_fault_is_caught(game: AnyGame, law: str) -> None:
    last = isinstance(game, planted.NoLast)  # the only one that needs a play to its end
    options = game.options({"seats": 3, "max_rounds": 5 if last else 60})
    with pytest.raises(LawBroken, match=law):
        _play_all(game, options)


def _play_all(game: AnyGame, options: Any) -> None:
    for number in range(30):
        check_play(game, options, seed(number), hidden.twin)


def test_a_game_without_end_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "_MOST_DECISIONS", 150)
    with pytest.raises(LawBroken, match="every play ends"):
        check_play(planted.Endless(), CONTAINER.options({"max_rounds": 2}), seed(1))


def test_a_game_that_hangs_on_its_process_is_caught() -> None:
    with pytest.raises(LawBroken, match="another play"):
        check_other_process(planted.Salted(), {}, seed(3))


def test_a_game_that_fails_elsewhere_is_told() -> None:
    class Local(Container):
        """No other process can import it."""

    with pytest.raises(LawBroken, match="the other process failed"):
        check_other_process(Local(), {}, seed(3))


def test_a_play_without_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavelport_engine.playout.LIMIT", 500)
    options = CONTAINER.options({"max_rounds": 0, "stall_rounds": 0})
    passing = dict.fromkeys(range(4), lambda *_: Pass())
    with pytest.raises(RuntimeError, match="does not end within 500 decisions"):
        playout(CONTAINER, options, seed(0), passing)


def test_every_game_is_a_game() -> None:
    for name, game in GAMES.items():
        assert isinstance(game, Game)
        assert (game.name, game.id) == (name, f"{name}@{game.version}")
        assert name in SHORT
        assert name in WHOLE
        assert name in TWINS
