"""Compilation of kernels, and of the records that they take, by numba.

numba caches machine code on disk while the file of a function is unchanged. A kernel calls
functions of other files, so that its code is cached here while all files of this folder are
unchanged. Functions that only kernels call are not compiled separately: they are optimised and
translated as a part of each kernel. Without numba they remain Python, which only tests run.

Kernels rarely create arrays. They use those of records and of their callers; in functions that
create none, numba's reference counts, a third of the code, are omitted.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from ctypes import addressof, c_char
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

import numpy as np

from sim.functions.program import GROUPS

Function = TypeVar("Function", bound=Callable[..., Any])

Late = Callable[..., bool]  # a kernel that others call by its address

# named in the annotations of fields
DTYPES: dict[str, type] = {"Array": np.float64, "Indices": np.intp, "Mask": np.bool_}


def _identity(function: Function) -> Function:
    return function


def _as_declared(record: object) -> None:
    """Make the arrays of a record contiguous and writeable; for others numba would recompile."""
    fields = vars(record)
    for name, kind in type(record).__annotations__.items():
        if (dtype := DTYPES.get(kind)) is None:
            continue
        value = fields[name]
        if type(value) is not np.ndarray or value.dtype != dtype or not value.flags.carray:
            fields[name] = np.require(value, dtype, ["C", "W"])


@cache
def announce(is_kept: bool) -> None:
    """Print once per process, on a terminal, that kernels are compiled and how often."""
    if sys.stderr.isatty():
        often = "once on this machine" if is_kept else "in each run, as no cache folder is writable"
        sys.stderr.write(f"Compiling the equations of motion, {often}: about 10 s\n")


def source_digest() -> str:
    """Return the digest of the source of all kernels, and of the instruction codes they use."""
    sources = (one for one in files(__package__).iterdir() if one.name.endswith(".py"))
    texts = sorted(one.read_bytes() for one in sources)
    return sha256(b"".join([*texts, repr(GROUPS).encode()])).hexdigest()


if TYPE_CHECKING:
    from dataclasses import dataclass as record

    __all__ = ["call", "inner", "kernel", "late", "record", "source_digest"]
    kernel = inner = _identity

    def late(function: Late, is_needed: bool, *arguments: Any) -> Late:
        """Return a kernel for `call`."""

    def call(function: Late, arguments: tuple[Any, ...]) -> bool:
        """Call a kernel."""

else:
    try:
        from numba import __version__, _dynfunc, njit, typeof, types
        from numba.core import cgutils
        from numba.core.caching import FunctionCache, NullCache
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler
        from numba.core.compiler_machinery import register_pass
        from numba.core.errors import TypingError
        from numba.core.lowering import Lower
        from numba.core.typed_passes import NativeLowering
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
    except ImportError:
        kernel = inner = _identity

        def record(cls: type) -> type:
            """Return a dataclass."""
            cls.__post_init__ = _as_declared
            return dataclass(eq=False, frozen=True)(cls)

        def late(function: Late, is_needed: bool, *arguments: object) -> Late:
            """Return the function."""
            return function

        def call(function: Late, arguments: tuple[object, ...]) -> bool:
            """Call the function."""
            return function(*arguments)

    else:
        # of an index on disk; entries of another version need not even be readable
        VERSION = f"{__version__}, kernels {source_digest()}"

        # The lowering of kernels below depends on numba's inner classes of these versions. With
        # others kernels are compiled as ordinary functions, which takes longer.
        IS_KNOWN = __version__.startswith("0.68.")

        class _Cache(FunctionCache):
            """Machine code on disk, valid while the source of all kernels is unchanged."""

            def __init__(self, function: Callable[..., Any]) -> None:
                super().__init__(function)
                self._cache_file._version = VERSION

            def load_overload(self, sig: object, target_context: object) -> object:
                """Return machine code for a signature; None if it must be compiled."""
                if (loaded := super().load_overload(sig, target_context)) is None:
                    announce(True)
                return loaded

        class _NoCache(NullCache):
            """A cache without a folder."""

            def load_overload(self, sig: object, target_context: object) -> None:
                """Return None: it must be compiled."""
                announce(False)

        class _Lower(Lower):
            """Code without reference counts in functions that create no array."""

            VIEWS = "getitem", "static_getitem", "getiter", "iternext"  # views of existing arrays

            def lower_normal_function(self, fndesc: object) -> None:
                """Lower a function."""
                self.has_counts = self._is_counted(fndesc.restype) or any(
                    self._makes(expression, signature)
                    for expression, signature in fndesc.calltypes.items()
                )
                super().lower_normal_function(fndesc)
                if self.has_counts:
                    return
                for block in self.function.blocks:
                    block.instructions = [x for x in block.instructions if not _is_count(x)]

            def incref(self, typ: object, val: object) -> None:
                """Increase a reference count."""
                if self.has_counts:
                    super().incref(typ, val)

            def decref(self, typ: object, val: object) -> None:
                """Decrease a reference count."""
                if self.has_counts:
                    super().decref(typ, val)

            def _is_counted(self, kind: object) -> bool:
                return self.context.data_model_manager[kind].contains_nrt_meminfo()

            def _makes(self, expression: object, signature: object) -> bool:
                """Whether an expression may create an array."""
                operation = getattr(expression, "op", "")
                if signature is None or operation in self.VIEWS:
                    return False
                if operation == "call":
                    is_tuple = isinstance(self.typeof(expression.func.name), types.NamedTupleClass)
                    return not is_tuple and self._is_counted(signature.return_type)
                return self._is_counted(signature.return_type)

        def _is_count(instruction: object) -> bool:
            callee = getattr(instruction, "callee", None)
            return getattr(callee, "name", "") in ("NRT_incref", "NRT_decref")

        @register_pass(mutates_CFG=True, analysis_only=False)
        class _KernelLowering(NativeLowering):
            """Lowering without reference counts where there is nothing to count."""

            _name = "kernel_lowering"
            lowering_class = _Lower

        class _Part(JITCodeLibrary):
            """Code that is only linked into that of kernels, and optimised there."""

            def _optimize_functions(self, ll_module: object) -> None:
                ll_module.data_layout = self._codegen._data_layout

            def _optimize_final_module(self) -> None:
                pass

            def _finalize_final_module(self) -> None:
                self._finalize_dynamic_globals()
                self._finalized = True

        @register_pass(mutates_CFG=True, analysis_only=False)
        class _PartLowering(_KernelLowering):
            """Lowering to a `_Part`, which contains no callable function."""

            _name = "part_lowering"

            def run_pass(self, state: object) -> bool:
                """Lower a function."""
                name, context = state.func_id.func_qualname, state.targetctx
                state.library = _Part(context.codegen(), name)
                state.flags.no_compile = True
                super().run_pass(state)
                lowered, module = state.cr, state.cr.fndesc.lookup_module()
                key = _dynfunc.make_function(module, name, "", 0, lowered.env, (state.library,))
                context.insert_user_function(key, lowered.fndesc, [state.library])
                state.cr = lowered._replace(cfunc=key)
                return True

        class _KernelCompiler(Compiler):
            """Compiler of kernels."""

            LOWERING = _KernelLowering

            def define_pipelines(self) -> list[object]:
                """Return the steps of compilation."""
                pipelines = super().define_pipelines()
                for one in pipelines:
                    one.passes = [
                        (self.LOWERING if step is NativeLowering else step, text)
                        for step, text in one.passes
                    ]
                    one.finalize()
                return pipelines

        class _PartCompiler(_KernelCompiler):
            """Compiler of functions that only kernels call."""

            LOWERING = _PartLowering

        def kernel(function: Function) -> Function:
            """Compile a function that Python calls."""
            options = {"error_model": "numpy", "no_cfunc_wrapper": True}
            compiler = _KernelCompiler if IS_KNOWN else Compiler
            dispatcher = njit(pipeline_class=compiler, **options)(function)
            try:
                dispatcher._cache = _Cache(function)
            except RuntimeError:  # no writeable folder
                dispatcher._cache = _NoCache()
            return dispatcher

        def inner(function: Function) -> Function:
            """Compile a function that only other kernels call."""
            if not IS_KNOWN:
                return njit(error_model="numpy")(function)
            options = {"error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
            dispatcher = njit(pipeline_class=_PartCompiler, **options)(function)
            template_for = dispatcher.get_call_template

            def for_any_value(kinds: tuple[Any, ...], named: dict[str, Any]) -> object:
                """Compile once for integers, not for each constant among the arguments."""
                named = {name: types.unliteral(kind) for name, kind in named.items()}
                return template_for([types.unliteral(kind) for kind in kinds], named)

            dispatcher.get_call_template = for_any_value
            return dispatcher

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

            def generic_resolve(self, kind: _Record, name: str) -> object:
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

        def record(cls: type) -> type:
            """Return a dataclass that kernels take by reference, which saves time per field.

            It is frozen: kernels read the values that Python reads and keeps alive.
            """
            names, kinds = tuple(cls.__annotations__), dict[tuple[object, ...], _Record]()

            def finish(self: object) -> None:
                _as_declared(self)
                words, shapes = list[int](), list[object]()
                for name in names:
                    if isinstance(value := vars(self)[name], np.ndarray):
                        place = addressof(c_char.from_buffer(value)) if value.size else 0
                        words += 0, 0, value.size, value.itemsize, place  # numba's `ArrayModel` …
                        words += value.shape + value.strides
                        shapes.append(value.ndim)
                    else:
                        words.append(getattr(value, "_address", value))
                        shapes.append(getattr(value, "_numba_type_", int))
                if (kind := kinds.get(tuple(shapes))) is None:
                    fields = {name: _type_of(vars(self)[name]) for name in names}
                    kind = kinds[tuple(shapes)] = _Record(cls.__name__, fields)
                memory = array("q", words)
                place, _ = memory.buffer_info()
                vars(self).update(_numba_type_=kind, _memory=memory, _address=place)

            cls.__post_init__ = finish
            return dataclass(eq=False, frozen=True)(cls)
