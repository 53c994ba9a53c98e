"""The bot on Node that plays Shipping: its figures are the engine's, and it plays against a scripted referee."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from gavelport.v1 import game_pb2
from gavelport_codecs.registry import codec_for
from gavelport_engine.shipping.data import CITIES, EDGES, GOODS, NO_REGION, PORTS, REGIONS, SPACES
from gavelport_engine.shipping.data_checks import CANALS
from gavelport_engine.shipping.rules import SHIPPING
from gavelport_sdk import shipping as s
from google.protobuf.json_format import MessageToDict

from tests.sample_bots.bots import SAMPLE_BOTS
from tests.sample_bots.scripted_referee import ScriptedReferee, run_bot, serving

FOLDER = SAMPLE_BOTS / "shipping_trader"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed: the bot on Node is left out")
needs_packages = pytest.mark.skipif(
    not (FOLDER / "node_modules").exists(), reason="what shipping_trader needs is not installed (make node-bots)"
)


def value(expression: str) -> Any:
    """Return what an expression over map.js and strategy.js gives."""
    assert NODE is not None
    program = (
        "const map = require('./map.js'); const strategy = require('./strategy.js');"
        f"console.log(JSON.stringify({expression}))"
    )
    done = subprocess.run([NODE, "-e", program], cwd=FOLDER, capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def test_both_bots_on_node_have_the_same_client() -> None:
    """Each bot's folder is a submission of its own, so the file stands in both."""
    assert (FOLDER / "client.js").read_bytes() == (SAMPLE_BOTS / "node_trader" / "client.js").read_bytes()


def test_its_prices_and_cities_are_those_of_the_game() -> None:
    assert value("map.PRICES") == {good.id: list(good.prices) for good in GOODS}
    made = {city.id: None if city.region == NO_REGION else GOODS[REGIONS[city.region].good].id for city in CITIES}
    assert value("map.CITIES") == {
        city.id: {
            "makes": made[city.id],
            "bonus": city.bonus,
            "takes": [GOODS[good].id for good in sorted(city.sells)],
        }
        for city in CITIES
    }


def test_its_map_is_that_of_the_game() -> None:
    beside = {
        SPACES[space]: sorted(SPACES[edge.to] for edge in edges) for space, edges in enumerate(EDGES) if space >= PORTS
    }
    assert {sea: sorted(spaces) for sea, spaces in value("map.SEAS").items()} == beside
    canals = {
        edge.kind: sorted((SPACES[space], SPACES[edge.to]))
        for space, edges in enumerate(EDGES)
        for edge in edges
        if edge.kind in CANALS
    }
    assert {canal: sorted(ends) for canal, ends in value("map.CANALS").items()} == canals


def test_its_ways_are_the_shortest() -> None:
    spaces = "(a, b) => map.waysFrom(a, null).get(b).path.length"
    found = value(f"Object.keys(map.CITIES).map((a) => Object.keys(map.CITIES).map((b) => ({spaces})(a, b)))")
    assert found == [[s.distance(a, b) for b in range(PORTS)] for a in range(PORTS)]


def test_a_closed_canal_is_gone_round() -> None:
    way = value("map.waysFrom('new_york', 'panama').get('shanghai')")
    assert (way["tolls"], "panama_bay" in way["path"]) == (0, False)


def test_the_mildest_answer_sells_what_the_referee_would() -> None:
    ships = [{"name": f"SHIPPING_SHIP_NAME_{name}"} for name in ("S1", "S2", "L1")]
    factories = [{"region": "SHIPPING_REGION_AFRICA"}]

    def mildest(phase: str, **board: object) -> Any:
        table = {"phase": f"SHIPPING_PHASE_{phase}", "boards": [board]}
        return value(f"strategy.mildest(0, {json.dumps({'table': table})})")

    assert mildest("TURN") == {"end_turn": {}}
    assert mildest("RAISE", stock=70, ships=ships, factories=[]) == {"sell_asset": {"asset": "share"}}
    small = {"asset": "ship", "ship": "SHIPPING_SHIP_NAME_S2"}
    assert mildest("RAISE", stock=60, ships=ships, factories=[]) == {"sell_asset": small}
    large = {"asset": "ship", "ship": "SHIPPING_SHIP_NAME_L1"}
    assert mildest("RAISE", stock=60, ships=ships[2:], factories=[]) == {"sell_asset": large}
    factory = {"asset": "factory", "region": "SHIPPING_REGION_AFRICA"}
    assert mildest("RAISE", stock=60, ships=[], factories=factories) == {"sell_asset": factory}


def test_a_share_is_sold_where_there_is_no_money_for_a_load() -> None:
    def decided(cash: int) -> Any:
        state = SHIPPING.initial_state(SHIPPING.options({"seats": 2}), bytes(32))
        seat = state.table.seat
        state.table.boards[seat].cash = cash
        state.table.ap = 0
        codec = codec_for("shipping")
        seen = game_pb2.GameObservation.FromString(codec.observed(codec.public(state), state, seat))
        observation = MessageToDict(
            seen.shipping, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        return value(f"strategy.decide({seat}, 4, {json.dumps(observation)})")

    assert decided(10) == {"sell_share": {}}
    assert decided(600) != {"sell_share": {}}


def play(referee: ScriptedReferee, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    assert NODE is not None
    with serving(referee) as target:
        return run_bot([NODE, "main.js"], FOLDER, target, timeout_s)


@needs_packages
@pytest.mark.parametrize("seats", [2, 5])
def test_it_plays_by_the_rules_and_beats_random_play(seats: int) -> None:
    referee = ScriptedReferee(matches=3, seats=seats, game="shipping")
    process = play(referee)
    assert process.returncode == 0, process.stderr
    assert referee.played.faults == []
    assert referee.played.ranks == [1, 1, 1]
    assert min(referee.played.actions[kind] for kind in ("move", "buy", "sell", "buy_ship", "end_turn")) > 0


@pytest.mark.long
@needs_packages
def test_it_beats_random_play_nearly_always() -> None:
    referee = ScriptedReferee(matches=100, seats=4, game="shipping")
    process = play(referee, timeout_s=600)
    assert process.returncode == 0, process.stderr
    assert referee.played.faults == []
    assert referee.played.ranks.count(1) >= 95
