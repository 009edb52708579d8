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
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from sim.functions.program import GROUPS

Function = TypeVar("Function", bound=Callable[..., Any])

# named in the annotations of fields
DTYPES: dict[str, type] = {"Array": np.float64, "Indices": np.intp, "Mask": np.bool_}


def _identity(function: Function) -> Function:
    return function


def _as_declared(record: object) -> None:
    """Make the arrays of a record contiguous and writeable; for others numba would recompile."""
    fields = vars(record)
    for name, kind in type(record).__annotations__.items():
        if kind in DTYPES:
            fields[name] = np.require(fields[name], DTYPES[kind], ["C", "W"])


@cache
def announce(is_kept: bool) -> None:
    """Print once per process, on a terminal, that kernels are compiled and how often."""
    if sys.stderr.isatty():
        often = "once on this machine" if is_kept else "in each run, as no cache folder is writable"
        sys.stderr.write(f"Compiling the equations of motion, {often}: about 13 s\n")


def source_digest() -> str:
    """Return the digest of the source of all kernels, and of the instruction codes they use."""
    sources = (one for one in files(__package__).iterdir() if one.name.endswith(".py"))
    texts = sorted(one.read_bytes() for one in sources)
    return sha256(b"".join([*texts, repr(GROUPS).encode()])).hexdigest()


if TYPE_CHECKING:
    from dataclasses import dataclass as record

    __all__ = ["inner", "kernel", "record", "source_digest"]
    kernel = inner = _identity
else:
    try:
        from numba import __version__, _dynfunc, njit, types
        from numba.core.caching import FunctionCache, NullCache
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler
        from numba.core.compiler_machinery import register_pass
        from numba.core.lowering import Lower
        from numba.core.typed_passes import NativeLowering
        from numba.experimental import structref
    except ImportError:
        kernel = inner = _identity

        def record(cls: type) -> type:
            """Return a dataclass."""
            cls.__post_init__ = _as_declared
            return dataclass(eq=False, frozen=True)(cls)

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
            return njit(pipeline_class=_PartCompiler, **options)(function)

        def record(cls: type) -> type:
            """Return a dataclass that kernels take by reference, which saves time per field.

            It is frozen: kernels read the values that Python reads and keeps alive.
            """
            names = tuple(cls.__annotations__)
            place = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Reference"}
            cls.Reference = structref.register(type(cls.__name__, (types.StructRef,), place))
            listed = ", ".join(names)
            make = compile(f"lambda cls: lambda {listed}: cls({listed})", __file__, "eval")
            refer = kernel(eval(make)(cls))  # numba takes single values faster than a tuple

            def box(kind: object, memory: object) -> object:
                boxed = object.__new__(cls)
                vars(boxed).update(_numba_type_=kind, _meminfo=memory)
                return boxed

            def finish(self: object) -> None:
                _as_declared(self)
                vars(self).update(vars(refer(*(vars(self)[name] for name in names))))

            cls.__post_init__, cls._numba_box_ = finish, staticmethod(box)
            structref.define_proxy(cls, cls.Reference, names)
            return dataclass(eq=False, frozen=True)(cls)
