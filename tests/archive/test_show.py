"""A match as text: everything is in it, and it fits the page."""

from dataclasses import replace

import pytest
from gavelport_engine.container import actions as act
from gavelport_engine.container import events as ev
from gavelport_engine.registry import GAMES
from gavelport_server.archive.playback import Difference
from gavelport_server.archive.record import Replay
from gavelport_server.archive.replay import replay_of
from gavelport_server.archive.show import WIDTH, seat_names, shown
from gavelport_server.archive.words.container import ContainerWords
from gavelport_server.archive.words.words import WORDS
from gavelport_server.referee.report import SeatName
from rich.console import Console

from tests.archive.folder import SHORT
from tests.archive.play import played_match

NAMES = ("ann", "bob", "cat")
STORE = (0,) * 5 + (1, 0, 0, 2, 0) + (0,) * 15 + (0, 1, 0, 0, 0)
BAG = (1, 0, 0, 2, 0)


def text(replay: Replay) -> str:
    console = Console(width=WIDTH, highlight=False, color_system=None)
    with console.capture() as capture:
        for piece in shown(replay):
            console.print(piece)
    return capture.get()


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_everything_stands_in_it_within_the_page(seats: int) -> None:
    replay = replay_of(played_match(5, seats=seats, notes={3: "bob wants tan, I think. " * 8}))
    lines = text(replay).splitlines()
    assert max(map(len, lines)) <= WIDTH
    numbers = [int(line[:5]) for line in lines if line[:5].strip().isdigit() and line.rstrip().endswith("ms")]
    assert numbers == list(range(1, len(replay.choices) + 1))
    turns = [line.split()[1] for line in lines if line.startswith("Turn ")]
    assert turns == [str(turn) for turn in range(1, len(turns) + 1)]
    whole = "\n".join(lines)
    assert replay.seed.hex() in whole
    assert replay.header.commitment in whole
    assert "│ bob wants tan" in whole
    assert "The end: " in whole
    for seat, name in enumerate(replay.header.seats):
        last = next(line for line in reversed(lines) if name.bot in line)
        assert last.split()[0] == str(replay.end.ranks[seat])
        assert last.split()[-1] == str(replay.end.totals[seat]).replace("-", "−")


def test_faults_and_changed_options_are_told() -> None:
    options = {"domestic_sale": True, **SHORT}
    whole = text(replay_of(played_match(2, seats=3, options=options, faults={4: "timeout"})))
    assert "at fault: timeout; this is the default" in whole
    assert "Options: supply_per_player 1, domestic_sale True, stall_rounds 2" in whole


def test_what_is_not_true_is_shown_up_to_there() -> None:
    replay = replay_of(played_match(5, seats=3))
    prefixes = (*replay.prefixes[:3], bytes(4), *replay.prefixes[4:])
    pieces = shown(replace(replay, prefixes=prefixes))
    seen: list[object] = []
    with pytest.raises(Difference, match="fingerprint after turn 4"):  # noqa: PT012  it shows until it cannot
        for piece in pieces:
            seen.append(piece)  # noqa: PERF402
    assert len(seen) > 10


def test_bots_of_one_name_are_told_apart() -> None:
    assert seat_names([SeatName("a", "1"), SeatName("b", "1"), SeatName("a", "2")]) == ["a/0", "b", "a/2"]


def test_every_game_has_words() -> None:
    assert set(WORDS) == set(GAMES)


ACTIONS = {
    act.TakeLoan(): "takes a loan",
    act.Default(): "leaves the interest unpaid",
    act.Seize(BAG): "chooses what is seized: 1 black, 2 tan from the island",
    act.Surrender("warehouse"): "gives up a warehouse",
    act.SeizeFactory(3): "chooses the factory that is lost: tan",
    act.RepayLoan(): "repays a loan",
    act.DomesticSale("factory", 2, 3): "sells 1 tan out of the factory store ($2) to the supply",
    act.Pass(): "passes",
    act.BuyFactory(0): "buys a factory for black",
    act.BuyWarehouse(): "buys a warehouse",
    act.Produce(BAG, STORE): "produces 1 black, 2 tan → factory store $2: 1 black, 2 tan; $6: 1 white",
    act.Produce((0,) * 5, (0,) * 30): "re-prices → factory store empty",
    act.Buy(1, STORE, STORE): "buys from bob $2: 1 black, 2 tan; $6: 1 white → harbour store $2: 1 black, 2 tan; "
    "$6: 1 white",
    act.Reprice(STORE): "re-prices → harbour store $2: 1 black, 2 tan; $6: 1 white",
    act.Sail(act.SEA): "sails to the open sea",
    act.Sail(act.ISLAND): "sails to the island",
    act.Sail(0, STORE): "sails to ann’s harbour and loads $2: 1 black, 2 tan; $6: 1 white",
    act.Load(STORE): "loads $2: 1 black, 2 tan; $6: 1 white",
    act.Bid(5, 2): "bids $5, taking 2 loans",
    act.Accept(2, 1): "sells to cat, repaying 1 loan",
    act.Reject(): "keeps the lot",
}
EVENTS = {
    ev.Payment(0, ev.BANK, 3, "interest"): "$3 ann → bank (interest)",
    ev.Payment(ev.BANK, 2, 7, "bank_match"): "$7 bank → cat (the bank's match)",
    ev.LoanCancelled(1): "a loan of bob is cancelled",
    ev.Seized(0, 1, BAG, None, None): "ann loses 1 black, 2 tan from the island",
    ev.Seized(0, 1, None, STORE, STORE): "ann loses $2: 1 black, 2 tan; $6: 1 white from the harbour store, and "
    "$2: 1 black, 2 tan; $6: 1 white from the factory store",
    ev.FactorySeized(0, 1, 4): "ann loses the orange factory",
    ev.WarehouseSeized(0): "ann loses a warehouse",
    ev.Forgiven(0): "ann is forgiven the interest of a loan",
    ev.AuctionBegan(0, BAG): "auction of 1 black, 2 tan",
    ev.BidsRevealed((None, 4, 4), (0, 0, 0)): "bob, cat are tied at $4 and bid what they add",
    ev.Auctioned(0, 1, 4, BAG, accepted=True): "1 black, 2 tan to bob for $4",
    ev.Auctioned(0, 0, 4, BAG, accepted=False): "1 black, 2 tan to ann for $4, paid to the bank",
}
SILENT = {
    ev.LoanTaken,
    ev.LoanRepaid,
    ev.SoldDomestic,
    ev.FactoryBuilt,
    ev.WarehouseBuilt,
    ev.Produced,
    ev.Bought,
    ev.Repriced,
    ev.Sailed,
    ev.Loaded,
    ev.Passed,
    ev.TurnBegan,
    ev.Over,
    ev.ExtraBidsRevealed,
}


@pytest.mark.parametrize("action", ACTIONS)
def test_actions_in_words(action: act.Action) -> None:
    assert ContainerWords(NAMES).action(action, "action") == ACTIONS[action]


def test_an_additional_bid_is_added() -> None:
    assert ContainerWords(NAMES).action(act.Bid(1), "extra_bid") == "adds $1"


@pytest.mark.parametrize("event", EVENTS)
def test_events_in_words(event: ev.Event) -> None:
    assert ContainerWords(NAMES).event(event) == EVENTS[event]


def test_no_action_and_no_event_is_without_words() -> None:
    assert {type(action) for action in ACTIONS} == set(act.KINDS.values())
    assert {type(event) for event in EVENTS} | SILENT == set(ev.KINDS.values())
    assert ContainerWords(NAMES).event(ev.Sailed(0, 1)) is None
    assert ContainerWords(NAMES).event(ev.BidsRevealed((None, 4, 5), (0, 0, 0))) is None
