"""Values of the package as Python text that makes them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.functions.spline import Spline

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def python_text(value: object) -> str:
    """An expression of the names of `sim` whose value is `value`, with all digits.

    Dataclasses are calls in which what is the default is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return call_text(value, ", ")
    if isinstance(value, Mapping):
        pairs = (f"{python_text(key)}: {python_text(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | np.ndarray):
        return f"[{', '.join(map(python_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(python_text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value.item() if isinstance(value, np.generic) else value)


def call_text(value: DataclassInstance, between: str, before: str = "") -> str:
    """The call that makes a dataclass of `sim`, with a text between and around its arguments."""
    if isinstance(value, Spline):
        name, given = "spline", {"t": value.knots, "y": value.values, **_unusual_options(value)}
    else:
        name = type(value).__name__
        given = {
            one.name: getattr(value, one.name)
            for one in fields(value)
            if not _is_default(one, getattr(value, one.name))
        }
    arguments = between.join(f"{key}={_argument(one, before)}" for key, one in given.items())
    return f"sim.{name}({before}{arguments})"


def _argument(value: object, before: str) -> str:
    """A value; a mapping of strings has a line for each where arguments have."""
    if not (before and isinstance(value, Mapping) and len(value) > 1):
        return python_text(value)
    inner = f"{before}    "
    pairs = (f"{python_text(key)}: {python_text(one)}" for key, one in value.items())
    return f"{{{inner}{f',{inner}'.join(pairs)},{before}}}"


def _unusual_options(value: Spline) -> dict[str, object]:
    names = {"kind": "cubic", "extrapolate": "polynomial"}
    return {
        key: getattr(value, key) for key, usual in names.items() if getattr(value, key) != usual
    }


def _is_default(field: Field[Any], value: object) -> bool:
    """True if a field holds its default: one number stands for three of a bushing."""
    if field.default is not MISSING:
        three = (field.default,) * 3 if isinstance(field.default, float) else None
        return bool(value is field.default or value in (field.default, three))
    return field.default_factory is not MISSING and value == field.default_factory()
