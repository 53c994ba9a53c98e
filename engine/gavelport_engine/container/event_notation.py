"""Events in the notation, both ways (`container-notation.md`, "Who sees what")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gavelport_engine import reading
from gavelport_engine.container import events as ev
from gavelport_engine.container import forms
from gavelport_engine.container.events import KINDS, PURPOSES, Event
from gavelport_engine.errors import NotationError
from gavelport_engine.forms import AMOUNT, FLAG, SEAT, word

if TYPE_CHECKING:
    from gavelport_engine.forms import Form
    from gavelport_engine.game import Json

ENDS = ("two_colours", "max_rounds", "stalled")


class Field(NamedTuple):
    """A key of an event, the attribute that it stands for, and its form."""

    key: str
    attribute: str
    form: Form


def _fields(**form_of: Form) -> tuple[Field, ...]:
    return tuple(Field(key, key, form) for key, form in form_of.items())


FIELDS: dict[type, tuple[Field, ...]] = {
    ev.TurnBegan: _fields(turn=AMOUNT, seat=SEAT),
    ev.Payment: (
        Field("from", "payer", forms.PARTY),
        Field("to", "payee", forms.PARTY),
        Field("amount", "amount", AMOUNT),
        Field("for", "purpose", word("what a payment is for", PURPOSES)),
    ),
    ev.LoanTaken: _fields(seat=SEAT),
    ev.LoanRepaid: _fields(seat=SEAT),
    ev.LoanCancelled: _fields(seat=SEAT),
    ev.Seized: _fields(
        seat=SEAT,
        by=SEAT,
        island=forms.MAYBE_BAG,
        harbour_store=forms.MAYBE_HARBOUR_STORE,
        factory_store=forms.MAYBE_FACTORY_STORE,
    ),
    ev.FactorySeized: _fields(seat=SEAT, by=SEAT, colour=forms.COLOUR),
    ev.WarehouseSeized: _fields(seat=SEAT),
    ev.Forgiven: _fields(seat=SEAT),
    ev.SoldDomestic: _fields(seat=SEAT, store=forms.STORE_NAME, price=forms.PRICE, colour=forms.COLOUR),
    ev.FactoryBuilt: _fields(seat=SEAT, slot=AMOUNT, colour=forms.COLOUR),
    ev.WarehouseBuilt: _fields(seat=SEAT, slot=AMOUNT),
    ev.Produced: _fields(seat=SEAT, make=forms.BAG, factory_store=forms.FACTORY_STORE),
    ev.Bought: _fields(
        seat=SEAT,
        seller=SEAT,
        take=forms.FACTORY_STORE,
        harbour_store=forms.HARBOUR_STORE,
    ),
    ev.Repriced: _fields(seat=SEAT, harbour_store=forms.HARBOUR_STORE),
    ev.Sailed: _fields(seat=SEAT, to=forms.PLACE),
    ev.Loaded: _fields(seat=SEAT, seller=SEAT, take=forms.HARBOUR_STORE),
    ev.Passed: _fields(seat=SEAT),
    ev.AuctionBegan: _fields(seat=SEAT, lot=forms.BAG),
    ev.BidsRevealed: _fields(bids=forms.LISTED, loans=forms.LISTED),
    ev.ExtraBidsRevealed: _fields(extra=forms.LISTED, loans=forms.LISTED),
    ev.Auctioned: _fields(seat=SEAT, to=SEAT, amount=AMOUNT, lot=forms.BAG, accepted=FLAG),
    ev.Over: _fields(end=word("a reason", ENDS)),
}
"""The keys of each kind of event, in the notation's order."""

NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}
"""The notation's `event` of each kind."""

_SEIZED_FROM = ("island", "harbour_store", "factory_store")


def event_to_notation(event: Event) -> Json:
    """Return an event in the notation; a seizure names only where it took from."""
    kind = type(event)
    found: Json = {"event": NAMES[kind]}
    for field in FIELDS[kind]:
        found[field.key] = field.form.write(getattr(event, field.attribute))
    if kind is ev.Seized:
        for key in _SEIZED_FROM:
            if found[key] is None:
                del found[key]
    return found


def event_from_notation(value: object) -> Event:
    """Return an event. Raises NotationError where it cannot be read."""
    if type(value) is not dict or "event" not in value:
        raise NotationError("", "expected an object with the key 'event'")
    kind = reading.looked_up(value["event"], "event", KINDS)
    fields = FIELDS[kind]
    keys = tuple(field.key for field in fields)
    may_lack = _SEIZED_FROM if kind is ev.Seized else ()
    required = ("event", *(key for key in keys if key not in may_lack))
    given = reading.mapping(value, "", required, may_lack)
    return kind(**{f.attribute: f.form.read(given.get(f.key), f.key) for f in fields})
