"""Events in the notation, both ways (`shipping-notation.md`, "Who sees what")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gavelport_engine import reading
from gavelport_engine.errors import NotationError
from gavelport_engine.forms import AMOUNT, FLAG, SEAT
from gavelport_engine.shipping import events as ev
from gavelport_engine.shipping import forms
from gavelport_engine.shipping.events import KINDS, Event

if TYPE_CHECKING:
    from gavelport_engine.forms import Form
    from gavelport_engine.game import Json


class Field(NamedTuple):
    """A key of an event, the attribute that it stands for, and its form."""

    key: str
    attribute: str
    form: Form


def _fields(**form_of: Form) -> tuple[Field, ...]:
    return tuple(Field(key, key, form) for key, form in form_of.items())


FIELDS: dict[type, tuple[Field, ...]] = {
    ev.TurnBegan: _fields(turn=AMOUNT, seat=SEAT, ap=AMOUNT),
    ev.Payment: (
        Field("from", "payer", forms.PARTY),
        Field("to", "payee", forms.PARTY),
        Field("amount", "amount", AMOUNT),
        Field("for", "purpose", forms.PURPOSE),
    ),
    ev.Moved: _fields(seat=SEAT, ship=forms.SHIP, path=forms.PATH, boost=FLAG),
    ev.Bought: _fields(seat=SEAT, ship=forms.SHIP, good=forms.GOOD, count=AMOUNT),
    ev.Sold: _fields(seat=SEAT, ship=forms.SHIP, good=forms.GOOD, price=AMOUNT, order=forms.MAYBE_ORDER),
    ev.OrderTaken: _fields(seat=SEAT, slot=forms.SLOT, card=forms.ORDER),
    ev.OrderOpened: _fields(slot=forms.SLOT, card=forms.MAYBE_ORDER),
    ev.OrderDrawn: _fields(seat=SEAT, card=forms.MAYBE_ORDER),
    ev.OrderCounted: _fields(seat=SEAT, card=forms.ORDER, done=AMOUNT),
    ev.OrderCompleted: _fields(seat=SEAT, card=forms.ORDER),
    ev.Reshuffled: _fields(cards=AMOUNT),
    ev.ShipBought: _fields(seat=SEAT, ship=forms.SHIP),
    ev.Built: _fields(seat=SEAT, region=forms.REGION),
    ev.Produced: _fields(seat=SEAT, region=forms.REGION),
    ev.Pushed: _fields(good=forms.GOOD, owner=forms.OWNER),
    ev.Removed: _fields(good=forms.GOOD, owner=forms.OWNER),
    ev.TrackMoved: _fields(seat=SEAT, space=AMOUNT, bonus=forms.BONUS),
    ev.ApBought: _fields(seat=SEAT, count=AMOUNT),
    ev.StockMoved: (
        Field("seat", "seat", SEAT),
        Field("from", "before", AMOUNT),
        Field("to", "after", AMOUNT),
    ),
    ev.NewsDrawn: _fields(card=forms.NEWS_CARD),
    ev.Owed: (
        Field("seat", "seat", SEAT),
        Field("due", "due", AMOUNT),
        Field("for", "purpose", forms.BILL),
    ),
    ev.AssetSold: _fields(seat=SEAT, asset=forms.ASSET, ship=forms.MAYBE_SHIP, region=forms.MAYBE_REGION),
    ev.Waived: _fields(seat=SEAT, amount=AMOUNT),
    ev.CargoLost: _fields(seat=SEAT, ship=forms.SHIP, cargo=forms.CARGO),
    ev.Bankrupt: _fields(seat=SEAT, orders=forms.ORDERS),
    ev.AccountsBegan: _fields(year=AMOUNT),
    ev.YearBegan: _fields(year=AMOUNT),
    ev.Over: _fields(end=forms.END),
}
"""The keys of each kind of event, in the notation's order."""

NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}
"""The notation's `event` of each kind."""

_ASSET_KEYS = ("ship", "region")


def event_to_notation(event: Event) -> Json:
    """Return an event in the notation; the sale of an asset has only the key that names it."""
    kind = type(event)
    found: Json = {"event": NAMES[kind]}
    for field in FIELDS[kind]:
        found[field.key] = field.form.write(getattr(event, field.attribute))
    if kind is ev.AssetSold:
        found = {key: value for key, value in found.items() if value is not None}
    return found


def event_from_notation(value: object) -> Event:
    """Return an event. Raises NotationError where it cannot be read."""
    if type(value) is not dict or "event" not in value:
        raise NotationError("", "expected an object with the key 'event'")
    kind = reading.looked_up(value["event"], "event", KINDS)
    fields = FIELDS[kind]
    may_lack = _ASSET_KEYS if kind is ev.AssetSold else ()
    required = ("event", *(field.key for field in fields if field.key not in may_lack))
    given = reading.mapping(value, "", required, may_lack)
    return kind(**{field.attribute: field.form.read(given.get(field.key), field.key) for field in fields})
