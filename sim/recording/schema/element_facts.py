"""Values in a run's description, stored by their fields in structs derived from the classes.

`facts_of` takes the fields of a force element, including markers, names and splines, and `value_of`
creates the value again. Names, order and types of the fields are those of the class; if a field may
be text, numbers and functions are stored as text. A new kind of element is a row of `kinds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.recording.schema.base import Facts, Vector

if TYPE_CHECKING:
    from sim.dynamics.force import Force
    from sim.dynamics.force_element import ForceElement
    from sim.dynamics.joint_ends import JointEnds  # noqa: F401
    from sim.dynamics.model_names import ModelNames  # noqa: F401 (read in quotes below)
    from sim.functions.spline import Spline  # noqa: F401
    from sim.robots.names import Names  # noqa: F401

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Fields of a value: a struct, created when the first value of its class is stored."""

    __slots__ = ()


class ElementFacts(Kept["ForceElement"]):
    """Fields of a force element on links, with the name of its kind in the file."""

    __slots__ = ()

    if TYPE_CHECKING:  # for most kinds
        __struct_config__: msgspec.structs.StructConfig
        frame: str
        name: str
        names: NamesFacts


class NamesFacts(Kept["Names"]):
    """Names available to expressions of the state."""

    __slots__ = ()

    if TYPE_CHECKING:
        states: dict[str, str]


class SplineFacts(Kept["Spline"]):
    """Points of a spline and its interpolation."""

    __slots__ = ()


class JointEndsFacts(Kept["JointEnds"]):
    """A joint between two markers, read by functions."""

    __slots__ = ()


class ModelNamesFacts(Kept["ModelNames"]):
    """Names of parts and joints in another program."""

    __slots__ = ()


# Fields that files of earlier versions lack; omitted if equal to their implied value.
_ADDED = {
    "Force": ("splines", "name"),
    "GroundContact": ("normal", "mu_static", "mu_dynamic", "stiction_velocity", "name"),
    "ContactShape": ("points",),
    "Contact": ("switched", "stiction"),
    "Bushing": ("switched",),
    "Names": ("states", "start", "shared"),
    "JointEnds": ("loop", "along", "is_free_along"),
    "ModelNames": ("parts", "joints", "motions"),
}

# Function that stores a spline of a component in a description, by its kind.
_CALLS = {
    "cubic": "CUBSPL(TIME, 0, {})",
    "akima": "AKISPL(TIME, 0, {})",
    "linear": "INTERP(TIME, 1, {})",
}


@cache
def kinds() -> Mapping[str, type[ForceElement]]:
    """Return the class of each kind of force element on links, by its name in the file."""
    from sim.dynamics.contact import GroundContact
    from sim.dynamics.counted_angle import CountedAngle
    from sim.dynamics.force import Force, VForce
    from sim.dynamics.sforce import SForce
    from sim.dynamics.shape_contact import Contact
    from sim.dynamics.spring import Bushing, Spring
    from sim.dynamics.states import States

    return {
        "force": Force,
        "contact": GroundContact,
        "spring": Spring,
        "single force": SForce,
        "vector force": VForce,
        "bushing": Bushing,
        "states": States,
        "counted angle": CountedAngle,
        "shape contact": Contact,
    }


@cache
def _parts() -> Mapping[type, type[Kept[Any]]]:
    """Return other classes stored by their fields, with the classes of their facts."""
    from sim.dynamics.contact_law import ContactLaw
    from sim.dynamics.contact_shape import ContactShape
    from sim.dynamics.joint_ends import JointEnds
    from sim.dynamics.model_names import ModelNames
    from sim.functions.spline import Spline
    from sim.robots.marker import Marker
    from sim.robots.names import Names

    return {
        Marker: Kept,
        ContactShape: Kept,
        ContactLaw: Kept,
        Spline: SplineFacts,
        Names: NamesFacts,
        JointEnds: JointEndsFacts,
        ModelNames: ModelNamesFacts,
    }


def facts_of(value: object) -> Any:
    """Return the fields of a value as stored; for a subclass those of its base.

    Raises
    ------
    ScenarioError
        If values of this class cannot be stored.
    """
    from sim.dynamics.force import Force

    stored_kinds = {*kinds().values(), *_parts()}
    kind = next((one for one in type(value).__mro__ if one in stored_kinds), None)
    if kind is None:
        raise ScenarioError(
            f"A run's description has no force element {type(value).__name__}: state its law as a "
            "string, or sample it into a spline (docs/howto/forces_between_points.md)"
        )
    struct = _struct(kind)
    texts = _texts_of(value) if isinstance(value, Force) else {}
    each = ((name, texts.get(name, getattr(value, name))) for name in struct.__struct_fields__)
    return struct(**{name: _stored_value(one, struct.__annotations__[name]) for name, one in each})


def value_of(facts: Kept[Value]) -> Value:
    """Return the value that a description contains.

    Raises
    ------
    SimError
        If the numbers are invalid.
    """
    from sim.functions.spline import Spline, spline

    names: tuple[str, ...] = facts.__struct_fields__  # type: ignore[attr-defined]
    values, kind = {name: _argument_of(getattr(facts, name)) for name in names}, class_of(facts)
    return spline(*values.values()) if kind is Spline else kind(**values)  # type: ignore[return-value,arg-type]


def class_of(facts: Kept[Value]) -> type[Value]:
    """Return the class of the value with these fields."""
    return _CLASSES[type(facts)]


def read_facts(kept_type: type, content: object) -> object:
    """Return facts from a file's content for a `Kept`; a `dec_hook` of msgspec."""
    if kept_type is ElementFacts:
        struct: Any = reduce(or_, map(_struct, kinds().values()))
    else:
        struct = _struct(next(kind for kind, facts in _parts().items() if facts is kept_type))
    try:
        return msgspec.convert(content, struct, dec_hook=read_facts)
    except msgspec.ValidationError as error:  # msgspec adds the position in the file
        raise ValueError(str(error)) from None


_CLASSES: dict[type, type] = {}


@cache
def _struct(kind: type) -> type[msgspec.Struct]:
    """Return the struct of a class's fields; with a tag for a force element."""
    tags = {element: tag for tag, element in kinds().items()}
    hints, added = get_type_hints(kind), _ADDED.get(kind.__name__, ())
    struct = msgspec.defstruct(
        f"{kind.__name__}Facts",
        [_field(one, _kept_as(hints[one.name]), one.name in added) for one in fields(kind)],
        bases=(Facts, _parts().get(kind, ElementFacts)),
        frozen=True,
        kw_only=True,
        omit_defaults=True,
        tag_field="kind" if kind in tags else None,
        tag=tags.get(kind),
    )
    _CLASSES[struct] = kind
    return struct


def _field(one: Field[Any], hint: Any, is_added: bool) -> tuple[Any, ...]:
    """Return a field of a struct.

    msgspec omits the very object of a default: it is a separate object here, so that an element's
    values are always written, and only fields missing in a file are omitted.
    """
    if not is_added:
        return one.name, hint
    if one.default is MISSING:
        return one.name, hint, msgspec.field(default_factory=dict)
    return one.name, hint, msgspec.json.decode(msgspec.json.encode(one.default), type=hint)


def _kept_as(hint: Any) -> Any:
    """Return the stored type of a field with this annotation."""
    from sim.robots.names import NamedForce

    simple = {ArrayLike: Vector, Array: tuple[float, ...], NamedForce: ElementFacts}
    if hint in simple:
        return simple[hint]
    origin, of = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):  # with text, numbers and functions are stored as text
        members = (one for one in of if str not in of or one in (str, NoneType, *_parts()))
        return reduce(or_, map(_kept_as, members))
    if origin in (Sequence, tuple):
        return tuple[_kept_as(of[0]), ...]  # type: ignore[misc]
    if origin is Mapping:
        return dict[str, _kept_as(of[1])]  # type: ignore[misc]
    return _struct(hint) if hint in _parts() else hint


def _stored_value(value: object, hint: Any) -> object:
    """Return the value of a field as stored."""
    if hint is str:
        return value if isinstance(value, str) else repr(float(value))  # type: ignore[arg-type]
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    if is_dataclass(value):
        return facts_of(value)
    if isinstance(value, Mapping):
        return {name: _stored_value(one, get_args(hint)[1]) for name, one in value.items()}
    return (
        tuple(_stored_value(one, get_args(hint)[0]) for one in value)
        if isinstance(value, tuple)
        else value
    )


def _argument_of(facts: object) -> object:
    """Return the argument of a class for a field of its facts."""
    if isinstance(facts, Kept):
        return value_of(facts)
    if isinstance(facts, dict):
        return {name: _argument_of(one) for name, one in facts.items()}
    return tuple(map(_argument_of, facts)) if isinstance(facts, tuple) else facts


def _texts_of(force: Force) -> Mapping[str, object]:
    """Return components as typed; splines as ADAMS functions of their points."""
    from sim.dynamics.components import COMPONENTS
    from sim.functions.spline import Spline
    from sim.functions.time_function import text_of

    points, texts = dict(force.splines), []
    for c, component in zip(COMPONENTS, (*force.force, *force.torque), strict=True):
        if isinstance(component, Spline) and component.kind in _CALLS:
            points[c] = component
            texts.append(_CALLS[component.kind].format(c))
        else:
            texts.append(text_of(component))
    return {"force": tuple(texts[:3]), "torque": tuple(texts[3:]), "splines": points}
