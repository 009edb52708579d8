"""Validation of arguments by their annotations; errors name the argument and its value.

Only what the text of an annotation shows is checked: numbers, texts, mappings, sequences, arrays,
and classes that are checked themselves. Ranges of values are checked by each class.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import os
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from sim.errors import ModelError, ScenarioError, SimError

LARGEST = 1e150  # largest number: beyond, its square overflows

# Names of types in annotations that stand for several texts.
CHOICES = frozenset(
    "Side Kind Extrapolation Statistic StepRule SForceKind MethodName EngineName Plane "
    "Variant".split()
)
MISTAKES = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
_checked_classes = set(
    "AppliedWrench Curve DataFrame ForeignTable Gear Judgement Log Loop Motor Naming "
    "Overlay RatedMotion Recording Robot RobotFile Rule Scenario Script Spline StoredTable".split()
)
# Names in annotations that stand for several types.
_ALIASES = {
    "Acting": "Sequence[AppliedWrench]",
    "JointRatings": "Mapping[str, float]",
    "Loads": "Callable",
    "MeshLike": "Path | tuple[ArrayLike, ArrayLike]",
    "OneRobot": "Robot | str | Path",
    "PayloadEvent": "PickUp | SetDown",
    "PerJoint": "float | Mapping[str, float]",
    "Progress": "Callable",
    "Response": "str | Callable",
}

_PLAIN = (numbers.Number, str, bytes, type(None), Mapping, Sequence, np.ndarray)

Checked = TypeVar("Checked", bound=Callable[..., Any])


def checked(subject: Checked) -> Checked:
    """Check the arguments of a class or function, and name them in its errors.

    Raises
    ------
    ModelError
        For a class of `sim.robots`: an argument has a wrong type, is NaN or exceeds `LARGEST`.
    ScenarioError
        The same for any other.
    """
    if isinstance(subject, type):
        _checked_classes.add(subject.__name__)
        subject.__init__ = _guard(subject.__init__, subject)  # type: ignore[misc]
        return subject
    return _guard(subject, subject)  # type: ignore[return-value]


def _guard(call: Callable[..., Any], subject: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(call)
    mistakes = MISTAKES if isinstance(subject, type) else Exception

    @functools.wraps(call)
    def check_and_call(*positional: Any, **named: Any) -> Any:
        try:
            arguments = signature.bind(*positional, **named).arguments
        except TypeError as error:
            raise TypeError(f"{subject.__name__}: {error}") from None
        try:
            value = call(*positional, **named)
        except SimError:  # it has a message of its own
            raise
        except mistakes as error:
            _require_usable(subject, signature, arguments)
            if subject is call:  # in a function that computes it may be an internal error
                raise
            shown = ", ".join(f"{k}={short_text(arguments[k])}" for k in arguments if k != "self")
            why = f"{subject.__name__}({shown}) cannot be made: {error}"
            raise _kind_of_error(subject)(why) from error
        _require_usable(subject, signature, arguments)
        return value

    return check_and_call


def require_usable(function: Callable[..., Any], *positional: Any, **named: Any) -> None:
    """Refuse arguments of a function as `checked` does, without a call."""
    signature = inspect.signature(function)
    _require_usable(function, signature, signature.bind(*positional, **named).arguments)


def _kind_of_error(subject: Callable[..., Any]) -> type[SimError]:
    return ModelError if subject.__module__.startswith("sim.robots") else ScenarioError


def _require_usable(
    subject: Callable[..., Any], signature: inspect.Signature, arguments: Mapping[str, object]
) -> None:
    for argument, value in arguments.items():
        kind = signature.parameters[argument].annotation
        if argument == "self" or kind is inspect.Parameter.empty:
            continue
        # start values are checked joint by joint once the robot is known
        lack = _lack(value, str(kind)) or (_beyond(value) if kind != "Start" else "")
        if lack:
            raise _kind_of_error(subject)(
                f"{subject.__name__}: {argument} must be {lack}, got {short_text(value)}"
            )


def short_text(value: object) -> str:
    """Return a value as Python writes it, as one short text."""
    try:
        return reprlib.repr(value)
    except Exception:  # raised by a value's __repr__, or an integer with too many digits
        return f"a {type(value).__name__}"


def _lack(value: object, annotation: str) -> str:
    """Return the expected types if an annotation refuses a value; empty for a valid one."""
    parts = _split(annotation, "|")
    if isinstance(value, Mapping):  # for "law or mapping" it is not a law
        parts = [part for part in parts if part.startswith("Mapping")] or parts
    lacks = [_lack_of_one(value, part) for part in parts]
    return "" if "" in lacks else _list(dict.fromkeys(lacks))


def _list(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def _split(text: str, mark: str) -> list[str]:
    """Split a text at marks outside brackets."""
    depth, parts = 0, [""]
    for c in text:
        depth += (c == "[") - (c == "]")
        if c == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def _lack_of_one(value: object, kind: str) -> str:
    head, _, inside = kind.removesuffix("]").partition("[")
    head = head.rpartition(".")[2]
    if head in _ALIASES:
        return _lack(value, _ALIASES[head])
    simple: Mapping[str, tuple[bool, str]] = {
        "None": (value is None, "None"),
        "float": (_is_number(value), "a number"),
        "int": (
            isinstance(value, numbers.Integral) and not isinstance(value, bool), "a whole number"
        ),
        "str": (isinstance(value, str), "a text"),
        "Compared": (hasattr(value, "run"), "a Recording or a Baseline"),
        "Callable": (callable(value), "a function"),
        "bool": (isinstance(value, bool | np.bool_), "True or False"),
        "Path": (isinstance(value, str | os.PathLike), "a path"),
        "ForceElement": (not isinstance(value, _PLAIN), "a force element"),
        "ArrayLike": (_is_array(value), "numbers"),
        "Array": (_is_array(value), "an array of numbers"),
        "Gravity": (_is_array(value, (3,)), "three numbers"),
    }  # fmt: skip
    if head in CHOICES:
        head = "str"
    if head in simple:
        is_it, name = simple[head]
        return "" if is_it else name
    if head == "Mapping":
        return _lack_of_mapping(value, *_split(inside, ","))
    if head in ("Sequence", "tuple"):
        return _lack_of_sequence(value, _split(inside, ",")[0])
    if head in _checked_classes:
        is_one = head in (one.__name__ for one in type(value).__mro__)
        return "" if is_one else f"{'an' if head[0] in 'AO' else 'a'} {head}"
    return ""


def _lack_of_mapping(value: object, key: str, of: str) -> str:
    if not isinstance(value, Mapping) or (
        key == "str" and not all(isinstance(name, str) for name in value)
    ):
        return "a mapping by names"
    inner = next((lack for one in value.values() if (lack := _lack(one, of))), "")
    return f"a mapping of names to {_several(inner)}" if inner else ""


def _lack_of_sequence(value: object, of: str) -> str:
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
        return "a sequence"
    inner = next((lack for one in value if (lack := _lack(one, of))), "")
    return f"a sequence of {_several(inner)}" if inner else ""


def _several(one: str) -> str:
    return re.sub(r"\ban? (?:whole )?(\w+(?: element)?)", r"\1s", one).replace("chs", "ches")


def _is_number(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _is_array(value: object, shape: tuple[int, ...] | None = None) -> bool:
    if value is None or isinstance(value, str | bytes | Mapping | set) or callable(value):
        return False
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        return False
    is_numeric = array.dtype.kind in "iuf" or array.size == 0
    return is_numeric and shape in (None, array.shape)


def _beyond(value: object) -> str:
    """Return what is wrong with a value's numbers; empty if all are allowed."""
    values = list(_numbers(value))
    if any(math.isnan(one) for one in values):
        return "no NaN"
    if any(LARGEST < abs(one) < math.inf for one in values):
        return f"at most {LARGEST:g}"
    return ""


def _numbers(value: object) -> Iterable[float]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, str | bytes) or value is None:
        return []
    if isinstance(value, tuple | list):
        return [number for part in value for number in _numbers(part)]
    try:
        if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
            ends = (value.min(), value.max()) if value.size else ()
            return [float(end) for end in ends]
        return [float(value)] if _is_number(value) else []  # type: ignore[arg-type]
    except OverflowError:
        return [math.nextafter(math.inf, 0.0)]
