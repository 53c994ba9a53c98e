"""What the viewer shows of a position, read back from the page into the notation."""

from pathlib import Path
from typing import Any

CONTAINER = (Path(__file__).parent / "shown_container.js").read_text("utf-8")

COVERED = (Path(__file__).parent / "covered.js").read_text("utf-8")

SHIPPING = (Path(__file__).parent / "shown_shipping.js").read_text("utf-8")


def container_expected(position: dict[str, Any]) -> dict[str, Any]:
    """Return those parts of a position of Container that the page shows as they are."""
    return {name: position[name] for name in ("seats", "supply", "removed")}


def shipping_expected(position: dict[str, Any], fixed: dict[str, Any]) -> dict[str, Any]:
    """Return those parts of a position of Shipping that the page shows, with the names that it gives to places."""
    names = {one["id"]: one["name"] for one in fixed["spaces"]}
    seats = []
    for own in position["seats"]:
        factories = [
            f"{fixed['regions'][region]['name']}: {one['built']} built, {one['marked']} have produced this year"
            for region, one in own["factories"].items()
        ]
        seats.append(
            {
                **{name: own[name] for name in ("cash", "stock", "track", "completed")},
                "bankrupt": own["bankrupt"] is not None,
                "ships": {
                    name: {"at": names[ship["at"]], "cargo": ship["cargo"], "moved": ship["moved"]}
                    for name, ship in own["ships"].items()
                },
                "factories": factories,
                "orders": [[one["card"], one["hidden"]] for one in own["orders"]],
            }
        )
    return {
        **{name: position[name] for name in ("year", "quarter", "start", "terminal", "open_orders")},
        "news": fixed["news"][position["news"][-1]] if position["news"] else "none yet",
        "seats": seats,
    }
