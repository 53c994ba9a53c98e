"""Actions in the notation, both ways (`shipping-notation.md`, "Actions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gavelport_engine import reading
from gavelport_engine.errors import NotationError
from gavelport_engine.forms import FLAG
from gavelport_engine.shipping import actions as act
from gavelport_engine.shipping import forms
from gavelport_engine.shipping.actions import KINDS, Action

if TYPE_CHECKING:
    from gavelport_engine.forms import Form
    from gavelport_engine.game import Json

MALFORMED = "E03"


class Field(NamedTuple):
    """A key of an action, which is also the name of its attribute."""

    key: str
    form: Form
    may_lack: bool = False


FIELDS: dict[type, tuple[Field, ...]] = {
    act.Move: (Field("ship", forms.SHIP), Field("path", forms.PATH), Field("boost", FLAG, may_lack=True)),
    act.Buy: (Field("ship", forms.SHIP), Field("count", forms.COUNT, may_lack=True)),
    act.Sell: (
        Field("ship", forms.SHIP),
        Field("good", forms.GOOD),
        Field("order", forms.MAYBE_ORDER, may_lack=True),
    ),
    act.BuyShip: (Field("kind", forms.KIND),),
    act.BuyOrder: (Field("slot", forms.SLOT),),
    act.DrawOrder: (),
    act.Build: (Field("region", forms.REGION),),
    act.Produce: (Field("region", forms.REGION),),
    act.BuyShare: (),
    act.SellShare: (),
    act.BuyAp: (Field("count", forms.COUNT, may_lack=True),),
    act.EndTurn: (),
    act.SellAsset: (
        Field("asset", forms.ASSET),
        Field("ship", forms.MAYBE_SHIP, may_lack=True),
        Field("region", forms.MAYBE_REGION, may_lack=True),
    ),
}
"""The keys of each kind of action, in the notation's order."""

ASSET_KEYS: dict[str, tuple[str, ...]] = {"share": (), "ship": ("ship",), "factory": ("region",)}
"""What each asset of a SellAsset is named by; the other attributes are None, and their keys are not there."""

NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}
"""The notation's `type` of each kind."""


def action_to_notation(action: Action) -> Json:
    """Return an action in the notation; a sale of an asset has only the key that names it."""
    kind = type(action)
    found: Json = {"type": NAMES[kind]}
    for field in FIELDS[kind]:
        found[field.key] = field.form.write(getattr(action, field.key))
    if isinstance(action, act.SellAsset):
        found = {key: value for key, value in found.items() if value is not None}
    return found


def action_from_notation(value: object) -> Action:
    """Return an action. Raises NotationError (E03) where it cannot be read."""
    try:
        return _read(value)
    except NotationError as error:
        raise NotationError(error.path, error.problem, MALFORMED) from None


def _read(value: object) -> Action:
    if type(value) is not dict:
        raise NotationError("", f"expected an action object, got {reading.shown(value)}")
    if "type" not in value:
        raise NotationError("", "key 'type' is missing")
    kind = reading.looked_up(value["type"], "type", KINDS)
    fields = FIELDS[kind]
    required = ("type", *(field.key for field in fields if not field.may_lack))
    optional = tuple(field.key for field in fields if field.may_lack)
    if kind is act.SellAsset:
        optional = ()
        if "asset" in value:
            required += ASSET_KEYS[reading.one_of(value["asset"], "asset", tuple(ASSET_KEYS))]
    given = reading.mapping(value, "", required, optional)
    read = {field.key: field.form.read(given[field.key], field.key) for field in fields if field.key in given}
    if kind is act.SellAsset:
        for key in ASSET_KEYS[read["asset"]]:
            if read[key] is None:
                raise NotationError(key, f"names the {read['asset']} that is sold, got null")
    return kind(**read)
