"""Container's rules a second time, on positions of the notation, from `container.md` alone, none of the engine's code.

Slow and plain: the engine is compared with it, play by play. Actions are taken to be legal.
"""

from __future__ import annotations

import hashlib
import json
from itertools import combinations
from typing import Any

from tests.engine.independent_goods import COLOURS, Bag, Json, Store, added, bag, cost, dealt, flat, less, size, store
from tests.engine.independent_goods import store_less as less_store

Seizure = tuple[Bag, Store, Store]
FACTORY_PRICES, WAREHOUSE_PRICES = (0, 6, 9, 12), (0, 4, 5, 6, 7)  # 1.6


class Match:
    """A match; `position` is in the notation, `fingerprints` has one for each turn that has ended."""

    def __init__(self, options: Json, seed: bytes) -> None:
        self.position = dealt(options, seed)
        self.end: str | None = None
        self.fingerprints: list[str] = []
        self._unpaid = 0
        self._begin_turn()

    @property
    def _mover(self) -> Any:
        return self.position["seats"][self.position["seat"]]

    @property
    def _right(self) -> int:
        return int((self.position["seat"] - 1) % len(self.position["seats"]))

    def to_act(self) -> list[int]:
        position, phase = self.position, self.position["phase"]
        if phase == "over":
            return []
        if phase in ("seize", "seize_factory"):
            return [self._right]
        if phase not in ("bid", "extra_bid"):
            return [position["seat"]]
        bids, extra = position["auction"]["bids"], position["auction"]["extra"]
        if phase == "bid":
            return [seat for seat, one in enumerate(bids) if seat != position["seat"] and one is None]
        top = max(one for one in bids if one is not None)
        return [seat for seat, one in enumerate(bids) if one == top and extra[seat] is None]

    def act(self, seat: int, action: Json) -> None:
        getattr(self, f"_{action['type']}")(seat, action)

    # -- turns: sections 2, 8.1 and 8.2

    def _begin_turn(self) -> None:
        flags = {"produced": False, "sold_domestic": False, "loans_taken": 0, "loans_repaid": 0, "busy": False}
        self.position.update(phase="action", actions_left=2, **flags)
        self.position.pop("unpaid", None)
        mover = self._mover
        if mover["cash"] >= mover["loans"] or mover["loans"] == 2:
            self._pay_interest()
            return
        held = mover["island"] or mover["harbour_store"] or mover["factory_store"] or mover["ship"]["cargo"]
        assets = any(mover["factories"][2:]) or mover["warehouses"] > 2
        if assets and not held:  # 3.2: an asset is never lost by choice
            self._take_loan_for_interest()
        else:
            self.position["phase"] = "interest"

    def _spend_action(self) -> None:
        self._count_action()
        if self.position["actions_left"] == 0:
            self._end_turn()

    def _count_action(self) -> None:
        self.position["actions_left"] -= 1
        if self.position["options"]["domestic_sale"]:
            self.position["sold_domestic"] = True

    def _end_turn(self) -> None:
        position, options = self.position, self.position["options"]
        seats = options["seats"]
        position["auction"] = None
        position["quiet_turns"] = 0 if position["busy"] else position["quiet_turns"] + 1
        if sum(not position["supply"].get(colour) for colour in COLOURS) >= 2:
            self.end = "two_colours"
        elif options["max_rounds"] and position["turn"] == options["max_rounds"] * seats:
            self.end = "max_rounds"
        elif options["stall_rounds"] and position["quiet_turns"] >= options["stall_rounds"] * seats:
            self.end = "stalled"
        if self.end:
            position.update(phase="over", actions_left=0)
        else:
            position.update(turn=position["turn"] + 1, seat=(position["seat"] + 1) % seats)
            self._begin_turn()
        text = json.dumps(position, sort_keys=True, separators=(",", ":"))
        self.fingerprints.append(hashlib.sha256(text.encode()).hexdigest())

    # -- interest and seizure: section 3

    def _take_loan_for_interest(self) -> None:
        due = self._mover["loans"]
        self._borrow()
        self._pay_interest(due)

    def _borrow(self) -> None:
        self._mover["cash"] += 10
        self._mover["loans"] += 1
        self.position["loans_taken"] += 1

    def _pay_interest(self, due: int | None = None) -> None:
        mover = self._mover
        due = mover["loans"] if due is None else due
        paid = min(due, mover["cash"])
        mover["cash"] -= paid
        self._unpaid = due - paid
        self._settle()

    def _settle(self) -> None:
        """Deal with loans whose interest is unpaid until there is a question (3.3)."""
        position, mover = self.position, self._mover
        position.pop("unpaid", None)
        while self._unpaid:
            choices = self.seizures()
            factories = [colour for colour in mover["factories"][2:] if colour]
            if choices:
                if len(choices) > 1:
                    position.update(phase="seize", unpaid=self._unpaid)
                    return
                self._take_containers(choices[0])
            elif choices is not None or not (factories or mover["warehouses"] > 2):
                self._unpaid -= 1  # 3.3d, 3.4: forgiven
            elif factories and mover["warehouses"] > 2:
                position.update(phase="asset", unpaid=self._unpaid)
                return
            elif len(factories) > 1:
                position.update(phase="seize_factory", unpaid=self._unpaid)
                return
            elif factories:
                self._lose_factory(factories[0])
            else:
                self._lose_warehouse()
        position["phase"] = "action"

    def seizures(self) -> list[Seizure] | None:
        """What can be seized for one loan: each way, lowest prices and first colours first; None without containers."""
        mover = self._mover
        if mover["island"]:  # 3.3a
            return [({colour: 1}, {}, {}) for colour in COLOURS if mover["island"].get(colour)]
        of_harbour = min(2, size(mover["harbour_store"]))
        of_factory = min(2 - of_harbour, size(mover["factory_store"]))
        if of_harbour + of_factory == 0:
            return [] if mover["ship"]["cargo"] else None
        return [
            ({}, harbour, factory)
            for harbour in _parts(mover["harbour_store"], of_harbour)
            for factory in _parts(mover["factory_store"], of_factory)
        ]

    def _take_containers(self, seizure: Seizure) -> None:
        island, harbour, factory = seizure
        mover = self._mover
        mover["island"] = less(mover["island"], island)
        mover["harbour_store"] = less_store(mover["harbour_store"], harbour)
        mover["factory_store"] = less_store(mover["factory_store"], factory)
        goes_to = "supply" if self.position["options"]["seized_to"] == "supply" else "removed"
        self.position[goes_to] = added(self.position[goes_to], added(added(island, flat(harbour)), flat(factory)))
        self._unpaid -= 1

    def _lose_factory(self, colour: str) -> None:
        slots = self._mover["factories"]
        slots[slots.index(colour)] = None
        self._mover["loans"] -= 1
        self._unpaid -= 1

    def _lose_warehouse(self) -> None:
        self._mover["warehouses"] -= 1
        self._mover["loans"] -= 1
        self._unpaid -= 1

    def _default(self, seat: int, action: Json) -> None:
        self._pay_interest()

    def _seize(self, seat: int, action: Json) -> None:
        self._take_containers(
            (action.get("island", {}), action.get("harbour_store", {}), action.get("factory_store", {}))
        )
        self._settle()

    def _surrender(self, seat: int, action: Json) -> None:
        factories = [colour for colour in self._mover["factories"][2:] if colour]
        if action["asset"] == "warehouse":
            self._lose_warehouse()
        elif len(factories) > 1:
            self.position["phase"] = "seize_factory"
            return
        else:
            self._lose_factory(factories[0])
        self._settle()

    def _seize_factory(self, seat: int, action: Json) -> None:
        self._lose_factory(action["colour"])
        self._settle()

    # -- loans and the domestic sale: sections 7 and 4

    def _take_loan(self, seat: int, action: Json) -> None:
        if self.position["phase"] == "interest":
            self._take_loan_for_interest()
        else:
            self._borrow()

    def _repay_loan(self, seat: int, action: Json) -> None:
        self._repay(1)

    def _repay(self, loans: int) -> None:
        self._mover["cash"] -= 10 * loans
        self._mover["loans"] -= loans
        self.position["loans_repaid"] += loans

    def _domestic_sale(self, seat: int, action: Json) -> None:
        mover, name, one = self._mover, f"{action['store']}_store", {action["colour"]: 1}
        mover[name] = less_store(mover[name], {str(action["price"]): one})
        mover["cash"] += 2
        self.position.update(supply=added(self.position["supply"], one), sold_domestic=True)

    # -- actions: section 5

    def _pass(self, seat: int, action: Json) -> None:
        self._spend_action()

    def _buy_factory(self, seat: int, action: Json) -> None:
        slots = self._mover["factories"]
        slot = slots.index(None)
        slots[slot] = action["colour"]
        self._mover["cash"] -= FACTORY_PRICES[slot]
        self.position["busy"] = True
        self._spend_action()

    def _buy_warehouse(self, seat: int, action: Json) -> None:
        self._mover["cash"] -= WAREHOUSE_PRICES[self._mover["warehouses"]]
        self._mover["warehouses"] += 1
        self.position["busy"] = True
        self._spend_action()

    def _produce(self, seat: int, action: Json) -> None:
        position, made = self.position, bag(action["make"])
        self._mover["cash"] -= 1
        position["seats"][self._right]["cash"] += 1
        self._mover["factory_store"] = store(action["factory_store"])
        busy = position["busy"] or bool(made)  # 8.2: only re-pricing is quiet
        position.update(produced=True, supply=less(position["supply"], made), busy=busy)
        self._spend_action()

    def _buy(self, seat: int, action: Json) -> None:
        self._buy_from(action["seller"], "factory_store", action["take"])
        self._mover["harbour_store"] = store(action["harbour_store"])
        self._spend_action()

    def _buy_from(self, seller: int, name: str, take: Store) -> None:
        if size(take) == 0:
            return
        other = self.position["seats"][seller]
        self._mover["cash"] -= cost(take)
        other["cash"] += cost(take)
        other[name] = less_store(other[name], take)
        self.position["busy"] = True

    def _reprice(self, seat: int, action: Json) -> None:
        self._mover["harbour_store"] = store(action["harbour_store"])
        self._spend_action()

    def _sail(self, seat: int, action: Json) -> None:
        self._mover["ship"]["at"] = action["to"]
        if action["to"] == "island":
            self._count_action()
            nobody = [None] * len(self.position["seats"])
            auction = {"bids": [*nobody], "extra": [*nobody], "winners": []}
            self.position.update(phase="bid", busy=True, auction=auction)
        else:
            self._load(seat, action)

    def _load(self, seat: int, action: Json) -> None:
        ship, take = self._mover["ship"], action.get("take", {})
        if ship["at"] != "sea":
            self._buy_from(ship["at"], "harbour_store", take)
            ship["cargo"] = added(ship["cargo"], flat(take))
        self._spend_action()

    # -- the auction: section 6

    def _bid(self, seat: int, action: Json) -> None:
        auction, bidder = self.position["auction"], self.position["seats"][seat]
        entries = auction["bids" if self.position["phase"] == "bid" else "extra"]
        entries[seat] = action["amount"]
        bidder["loans"] += action.get("loans", 0)
        bidder["cash"] += 10 * action.get("loans", 0)
        if self.to_act():
            return
        most = max(one for one in entries if one is not None)
        top = [one for one, amount in enumerate(entries) if amount == most]
        if self.position["phase"] == "bid" and len(top) > 1:
            self.position["phase"] = "extra_bid"
        else:
            self.position["phase"] = "sale"
            auction["winners"] = top

    def _accept(self, seat: int, action: Json) -> None:
        winner = self.position["seats"][action["winner"]]
        amount = self._final_bid(action["winner"])
        winner["cash"] -= amount
        self._mover["cash"] += 2 * amount
        self._land(winner, action)

    def _reject(self, seat: int, action: Json) -> None:
        self._mover["cash"] -= self._final_bid(self.position["auction"]["winners"][0])
        self._land(self._mover, action)

    def _final_bid(self, seat: int) -> int:
        auction = self.position["auction"]
        return int(auction["bids"][seat] + (auction["extra"][seat] or 0))

    def _land(self, owner: Json, action: Json) -> None:
        ship = self._mover["ship"]
        owner["island"] = added(owner["island"], ship["cargo"])
        ship["cargo"] = {}
        self._repay(action.get("repay", 0))
        self._end_turn()


def _parts(given: Store, count: int) -> list[Store]:
    """All different stores of so many containers out of a store, in order of prices, then colours."""
    items = [
        (int(price), place)
        for price, row in given.items()
        for place, colour in enumerate(COLOURS)
        for _ in range(row.get(colour, 0))
    ]
    parts: list[Store] = []
    for chosen in sorted(set(combinations(sorted(items), count))):
        part: Store = {}
        for price, place in chosen:
            row = part.setdefault(str(price), {})
            row[COLOURS[place]] = row.get(COLOURS[place], 0) + 1
        parts.append(part)
    return parts
