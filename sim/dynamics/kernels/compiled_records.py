"""Records as numba takes them, by reference, and kernels that others call by their address."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from ctypes import addressof, c_char
from functools import cache
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)


class _Record(types.Type):
    """Type of a record: an address of 64-bit words, at which its fields are."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.fields, self.places, at = fields, {}, 0
        for field, kind in fields.items():
            self.places[field] = at
            at += 5 + 2 * kind.ndim if isinstance(kind, types.Array) else 1
        # symbols of functions contain all names, so that they must be short
        super().__init__(f"{name}{crc32(repr(fields).encode()):x}")


@infer_getattr
class _Fields(AttributeTemplate):
    """Types of the fields."""

    key = _Record

    def generic_resolve(self, kind: _Record, name: str) -> object:  # type: ignore[override]
        """Return the type of a field."""
        return kind.fields.get(name)


@lower_getattr_generic(_Record)
def _load_field(context: Any, builder: Any, kind: _Record, at: Any, name: str) -> object:
    field = context.get_value_type(kind.fields[name]).as_pointer()
    place = builder.gep(at, [context.get_constant(types.intp, 8 * kind.places[name])])
    return builder.load(builder.bitcast(place, field))


@unbox(_Record)
def _pointer_to(kind: _Record, record: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(record, "_address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer)


register_model(_Record)(models.OpaqueModel)


class _LateType(types.Type):
    """Type of a kernel that others call by its address, with the types of its arguments."""

    def __init__(self, kinds: tuple[Any, ...]) -> None:
        self.kinds = kinds
        super().__init__(f"Late{crc32(repr(kinds).encode()):x}")


register_model(_LateType)(models.OpaqueModel)

_late_type = cache(_LateType)


@cache
def _array_type(dtype: object, dimensions: int) -> object:
    return typeof(np.empty((0,) * dimensions, dtype))


def _type_of(value: Any) -> object:
    """Return the type of a value; contiguous, if it is an array."""
    is_array = isinstance(value, np.ndarray)
    return _array_type(value.dtype, value.ndim) if is_array else typeof(value)


@cache
def _address_of(function: Any, kinds: tuple[object, ...]) -> int:
    """Return where a kernel's machine code is, compiled for arguments of these types."""
    function.compile(kinds)
    code = function.overloads[kinds]
    return int(code.library.get_pointer_to_function(code.fndesc.llvm_func_name))


def late(function: Any, is_needed: bool, *arguments: object) -> object:
    """Return a kernel for `call`, for arguments of these types; not compiled if not needed.

    The kernel returns a bool. It is in memory once, however many others call it.
    """
    kinds = tuple(map(_type_of, arguments))
    address = _address_of(function, kinds) if is_needed else 0
    return SimpleNamespace(_numba_type_=_late_type(kinds), _address=address)


@intrinsic
def call(typing: Any, function: _LateType, arguments: Any) -> object:
    """Call a kernel with a tuple of arguments."""
    if tuple(map(types.unliteral, arguments)) != function.kinds:
        raise TypingError(f"takes {function.kinds}, not {arguments}")

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> object:
        convention, kinds = context.call_conv, function.kinds
        kind = convention.get_function_type(types.boolean, kinds).as_pointer()
        status, result = convention.call_function(
            builder, builder.bitcast(given[0], kind), types.boolean, kinds,
            cgutils.unpack_tuple(builder, given[1]),
        )  # fmt: skip
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    return types.boolean(function, arguments), generate


def describer(record: type) -> Callable[[object], None]:
    """Return what gives records of a class the type and the address by which kernels read them."""
    names, kinds = tuple(record.__annotations__), dict[tuple[object, ...], _Record]()

    def describe(self: object) -> None:
        words, shapes = list[int](), list[object]()
        for name in names:
            if isinstance(value := vars(self)[name], np.ndarray):
                buffer: Any = value
                place = addressof(c_char.from_buffer(buffer)) if value.size else 0
                words += 0, 0, value.size, value.itemsize, place  # numba's `ArrayModel` …
                words += value.shape + value.strides
                shapes.append(value.ndim)
            else:
                words.append(getattr(value, "_address", value))
                shapes.append(getattr(value, "_numba_type_", int))
        if (kind := kinds.get(tuple(shapes))) is None:
            fields = {name: _type_of(vars(self)[name]) for name in names}
            kind = kinds[tuple(shapes)] = _Record(record.__name__, fields)
        memory = array("q", words)
        place, _ = memory.buffer_info()
        vars(self).update(_numba_type_=kind, _memory=memory, _address=place)

    return describe
