"""Shipping in the viewer: the map with its places on the page, and what stands to be jumped to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping.data import CASH_PER_POINT, CITIES, DATA, EDGES, GOODS, NEWS, ORDERS, PORTS, REGIONS
from gavelport_engine.shipping.data import SPACES as SPACE_IDS
from gavelport_engine.shipping.legal import CAPACITY
from gavelport_engine.shipping.scoring import points, score
from gavelport_engine.shipping.space import to_act
from gavelport_engine.shipping.table import BANK, SHIP_NAMES

from gavelport_server.pages.tables.table import Mark, ScoreLine, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_engine.game import Json, Outcome
    from gavelport_engine.shipping.table import Observation, Options, State

    from gavelport_server.archive.playback import Step

_PROMPTS = {"turn": "acts", "raise": "must raise money: what is sold?"}
_PURPOSES = {
    "toll": "tolls and dock fees",
    "dock_fee": "tolls and dock fees",
    "containers": "containers",
    "sale": "sales",
    "reward": "Orders completed",
    "ship": "ships",
    "order": "Orders taken",
    "factory": "factories",
    "production": "production",
    "track": "Production Track",
    "share": "shares",
    "ap": "action points",
    "shortage": "News",
    "grant": "News",
    "news": "News",
    "maintenance": "maintenance",
    "penalty": "penalties",
    "asset": "forced sales",
    "bankruptcy": "bankruptcy",
}
_SHORT = {
    "grain": "Gr",
    "coffee": "Co",
    "minerals": "Mi",
    "textiles": "Tx",
    "machinery": "Ma",
    "electronics": "El",
}
"""What stands on a container of a good."""

# Where the spaces lie on a map of 1000 × 500: towns about where they are, seas where lines cross least.
_PLACES = {
    "san_francisco": (62, 138),
    "new_york": (238, 122),
    "houston": (158, 168),
    "santos": (300, 330),
    "buenos_aires": (250, 392),
    "callao": (212, 300),
    "rotterdam": (452, 92),
    "hamburg": (508, 62),
    "genoa": (486, 146),
    "lagos": (470, 262),
    "cape_town": (540, 362),
    "mombasa": (600, 292),
    "mumbai": (692, 160),
    "dubai": (632, 144),
    "colombo": (742, 238),
    "shanghai": (826, 132),
    "yokohama": (946, 112),
    "singapore": (816, 272),
    "sydney": (938, 404),
    "fremantle": (796, 418),
    "north_sea": (416, 58),
    "north_atlantic": (340, 92),
    "us_east_coast": (276, 164),
    "gibraltar": (400, 150),
    "caribbean": (222, 210),
    "west_med": (450, 178),
    "canary": (372, 222),
    "panama_bay": (152, 244),
    "east_med": (530, 184),
    "red_sea": (580, 206),
    "gulf_aden": (628, 222),
    "arabian_sea": (688, 226),
    "somali_basin": (654, 312),
    "gulf_guinea": (438, 304),
    "south_atlantic": (376, 316),
    "cape_hope": (530, 424),
    "brazil_coast": (318, 394),
    "cape_horn": (226, 462),
    "peru_coast": (148, 340),
    "baja": (80, 220),
    "arafura": (912, 296),
    "coral_sea": (968, 348),
    "aus_bight": (858, 458),
    "philippine_sea": (926, 226),
    "east_china_sea": (890, 166),
    "south_china_sea": (848, 214),
    "java_sea": (806, 326),
    "bay_bengal": (752, 308),
}


@dataclass(slots=True)
class _Account:
    """What a year has brought and cost each seat, by what it was for, up to its accounts (13)."""

    year: int
    last: int = 0
    """The decision that ends it; 0 while it goes on."""
    lines: dict[str, list[int]] = field(default_factory=dict)


class ShippingTable:
    """See `Table`."""

    LEFT: ClassVar[Mapping[str, str]] = {}

    def __init__(self, options: Options, names: Sequence[str], view: View) -> None:
        """Take the options, what to call the seats, and whose eyes."""
        self._names = names
        self._marks: list[Mark] = []
        self._accounts = [_Account(1)]

    def fixed(self) -> Json:
        """Return map, goods, cards and tracks."""
        return {
            "goods": [
                {"id": good.id, "name": good.name, "short": _SHORT[good.id], "prices": list(good.prices)}
                for good in GOODS
            ],
            "regions": {one.id: {"name": one.name, "good": GOODS[one.good].id} for one in REGIONS},
            "spaces": [_space(space) for space in range(len(SPACE_IDS))],
            "edges": [
                [SPACE_IDS[space], SPACE_IDS[edge.to], edge.kind]
                for space, edges in enumerate(EDGES)
                for edge in edges
                if space < edge.to
            ],
            "orders": {
                one.id: {
                    "good": GOODS[one.good].id,
                    "count": one.count,
                    "city": SPACE_IDS[one.city],
                    "reward": one.reward,
                    "penalty": one.penalty,
                }
                for one in ORDERS
            },
            "news": {one.id: one.title for one in NEWS},
            "track": len(DATA.track),
            "ships": dict(zip(SHIP_NAMES, CAPACITY, strict=True)),
            "suffix": "M",
        }

    def prompt(self, phase: str) -> str:
        """Return what is asked in a phase."""
        return _PROMPTS.get(phase, phase)

    def band(self, turn: int, state: State) -> tuple[str, str]:
        """Return year and quarter, in short the year where it begins."""
        year, quarter = state.table.year, state.table.quarter
        return f"year {year}, quarter {quarter}", f"year {year}" if quarter == 1 else ""

    def now(self, state: State) -> Json:
        """Return what each seat would score if the game ended now; all that counts is public."""
        return {"score": [points(score(board)) for board in state.table.boards]}

    def payment(self, event: Any) -> tuple[int, int, int] | None:
        """Return a payment."""
        return (event.payer, event.payee, event.amount) if isinstance(event, ev.Payment) else None

    def shown(self, step: Step) -> Json:
        """Return the spaces that a ship enters."""
        for event in step.events:
            if isinstance(event, ev.Moved):
                return {"path": [SPACE_IDS[space] for space in event.path]}
        return {}

    def take(self, step: Step, state: State) -> None:
        """Take note of Orders completed, News, money that could not be paid, and what all money was for."""
        for event in step.events:
            match event:
                case ev.Payment():
                    self._account(event)
                case ev.YearBegan(year):
                    self._accounts[-1].last = step.number
                    self._accounts.append(_Account(year))
                case ev.Over():
                    self._accounts[-1].last = step.number
                case ev.OrderCompleted(seat, card):
                    self._mark(step, "order", f"{self._names[seat]} completes {ORDERS[card].id}")
                case ev.NewsDrawn(card):
                    self._mark(step, "news", NEWS[card].title)
                case ev.Bankrupt(seat):
                    self._mark(step, "seizure", f"{self._names[seat]} is bankrupt")
                case ev.AssetSold(seat):
                    self._mark(step, "seizure", f"{self._names[seat]} must sell")

    def asked(self, seen: Observation) -> Sequence[int]:
        """Return the seat that must answer."""
        return to_act(seen.table)

    def marks(self) -> Sequence[Mark]:
        """Return them in their order."""
        return self._marks

    def extras(self) -> Json:
        """Return the accounts of the years that are over."""
        return {
            "accounts": [
                {"year": one.year, "at": one.last, "lines": [[what, amounts] for what, amounts in one.lines.items()]}
                for one in self._accounts
                if one.last
            ]
        }

    def scoring(self, outcome: Outcome, state: State) -> Sequence[ScoreLine]:
        """Return the final scoring (14.1)."""
        lines = outcome.scores
        return [
            ScoreLine("Stock value", [line["stock"] for line in lines], [_fate(line) for line in lines]),
            ScoreLine(
                "Cash",
                [line["cash_points"] for line in lines],
                [f"${line['cash']:,}M, a point for each ${CASH_PER_POINT}M" for line in lines],
            ),
        ]

    def income(self, events: Sequence[Any]) -> Sequence[tuple[int, str, int]]:
        """Return what money came and went for."""
        found = []
        for event in events:
            if not isinstance(event, ev.Payment):
                continue
            what = _PURPOSES.get(event.purpose, event.purpose)
            for seat, amount in ((event.payee, event.amount), (event.payer, -event.amount)):
                if seat != BANK:
                    direction = {"containers": ("containers sold", "containers bought")}.get(what)
                    said = direction[amount < 0] if direction else what
                    found.append((seat, said, amount))
        return found

    def _account(self, payment: ev.Payment) -> None:
        lines = self._accounts[-1].lines
        for seat, what, amount in self.income((payment,)):
            lines.setdefault(what[0].upper() + what[1:], [0] * len(self._names))[seat] += amount

    def _mark(self, step: Step, kind: str, label: str) -> None:
        self._marks.append(Mark(step.number, kind, label))


def _space(space: int) -> Json:
    x, y = _PLACES[SPACE_IDS[space]]
    found: Json = {"id": SPACE_IDS[space], "name": DATA.space_names[space], "x": x, "y": y, "port": space < PORTS}
    if space < PORTS:
        city = CITIES[space]
        found["bonus"] = city.bonus
        found["sells"] = [GOODS[good].id for good in sorted(city.sells)]
        found["good"] = GOODS[REGIONS[city.region].good].id if city.region >= 0 else None
    return found


def _fate(line: Json) -> str:
    if line["bankrupt"] is not None:
        return "bankrupt"
    return f"{line['completed']} Orders completed"
