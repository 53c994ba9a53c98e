"""Actions in the notation, both ways (`container-notation.md`, "Decisions and actions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gavelport_engine import reading
from gavelport_engine.container import actions as act
from gavelport_engine.container import forms
from gavelport_engine.container.actions import KINDS, Action
from gavelport_engine.errors import NotationError
from gavelport_engine.forms import AMOUNT, SEAT

if TYPE_CHECKING:
    from gavelport_engine.forms import Form
    from gavelport_engine.game import Json


class Field(NamedTuple):
    """A key of an action, which is also the name of its attribute."""

    key: str
    form: Form
    may_lack: bool = False


FIELDS: dict[type, tuple[Field, ...]] = {
    act.TakeLoan: (),
    act.Default: (),
    act.Seize: (
        Field("island", forms.BAG, may_lack=True),
        Field("harbour_store", forms.HARBOUR_STORE, may_lack=True),
        Field("factory_store", forms.FACTORY_STORE, may_lack=True),
    ),
    act.Surrender: (Field("asset", forms.ASSET),),
    act.SeizeFactory: (Field("colour", forms.COLOUR),),
    act.RepayLoan: (),
    act.DomesticSale: (
        Field("store", forms.STORE_NAME),
        Field("price", forms.PRICE),
        Field("colour", forms.COLOUR),
    ),
    act.Pass: (),
    act.BuyFactory: (Field("colour", forms.COLOUR),),
    act.BuyWarehouse: (),
    act.Produce: (Field("make", forms.BAG), Field("factory_store", forms.FACTORY_STORE)),
    act.Buy: (
        Field("seller", SEAT),
        Field("take", forms.FACTORY_STORE),
        Field("harbour_store", forms.HARBOUR_STORE),
    ),
    act.Reprice: (Field("harbour_store", forms.HARBOUR_STORE),),
    act.Sail: (
        Field("to", forms.PLACE),
        Field("take", forms.HARBOUR_STORE, may_lack=True),
    ),
    act.Load: (Field("take", forms.HARBOUR_STORE),),
    act.Bid: (Field("amount", AMOUNT), Field("loans", AMOUNT, may_lack=True)),
    act.Accept: (Field("winner", SEAT), Field("repay", AMOUNT, may_lack=True)),
    act.Reject: (Field("repay", AMOUNT, may_lack=True),),
}
"""The keys of each kind of action, in the notation's order."""

NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}
"""The notation's `type` of each kind."""


def action_to_notation(action: Action) -> Json:
    """Return an action in the notation.

    A sail to the sea or the island has no `take`, a seizure only the stores that it takes from.
    """
    kind = type(action)
    found: Json = {"type": NAMES[kind]}
    for field in FIELDS[kind]:
        found[field.key] = field.form.write(getattr(action, field.key))
    if isinstance(action, act.Sail) and action.to < 0 and not found["take"]:
        del found["take"]
    if isinstance(action, act.Seize):
        found = {key: value for key, value in found.items() if value}
    return found


def action_from_notation(value: object) -> Action:
    """Return an action. Raises NotationError where it cannot be read."""
    if type(value) is not dict:
        raise NotationError("", f"expected an action object, got {reading.shown(value)}")
    if "type" not in value:
        raise NotationError("", "key 'type' is missing")
    kind = reading.looked_up(value["type"], "type", KINDS)
    fields = FIELDS[kind]
    required = ("type", *(field.key for field in fields if not field.may_lack))
    optional = tuple(field.key for field in fields if field.may_lack)
    given = reading.mapping(value, "", required, optional)
    return kind(**{f.key: f.form.read(given[f.key], f.key) for f in fields if f.key in given})
