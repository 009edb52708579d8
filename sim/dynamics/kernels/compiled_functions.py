"""Compilation of kernels by numba, with those functions that only they call as parts of them.

Their machine code on disk is valid while the source of all kernels is unchanged: numba caches it
while the file of a function is unchanged, and a kernel calls functions of other files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, TypeVar

from numba import __version__, njit, types
from numba._dynfunc import make_function
from numba.core.caching import FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.runtime.nrt import rtsys
from numba.core.typed_passes import NativeLowering

from sim.functions.program import GROUPS

# The lowering of kernels below depends on numba's inner classes of these versions. With others
# kernels are compiled as ordinary functions, which takes longer.
IS_KNOWN = __version__.startswith("0.68.")
Function = TypeVar("Function", bound=Callable[..., Any])


def source_digest() -> str:
    """Return the digest of the source of all kernels, and of the instruction codes they use."""
    sources = (one for one in files(__package__).iterdir() if one.name.endswith(".py"))
    texts = sorted(one.read_bytes() for one in sources)
    return sha256(b"".join([*texts, repr(GROUPS).encode()])).hexdigest()


# of an index on disk; entries of another version need not even be readable
VERSION = f"{__version__}, kernels {source_digest()}"


@cache
def _announce(is_kept: bool) -> None:
    """Print once per process, on a terminal, that kernels are compiled and how often."""
    if sys.stderr.isatty():
        often = "once on this machine" if is_kept else "in each run, as no cache folder is writable"
        sys.stderr.write(f"Compiling the equations of motion, {often}: about 10 s\n")


def code_cache(function: Callable[..., Any]) -> FunctionCache | NullCache:
    """Return the cache of a kernel's machine code."""
    try:
        return _Cache(function)
    except RuntimeError:  # no writeable folder
        return _NoCache()


class _Cache(FunctionCache):
    """Machine code on disk, valid while the source of all kernels is unchanged."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._version = VERSION

    def load_overload(self, sig: object, target_context: object) -> object:
        """Return machine code for a signature; None if it must be compiled."""
        if IS_KNOWN:
            # All that existing machine code needs. Numba loads whatever it can compile as well,
            # SciPy's linear algebra among it, which takes longer than most free motions.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                loaded = self._load_overload(sig, target_context)
        else:
            loaded = super().load_overload(sig, target_context)
        if loaded is None:
            _announce(True)
        return loaded


class _NoCache(NullCache):
    """A cache without a folder."""

    def load_overload(self, sig: object, target_context: object) -> None:
        """Return None: it must be compiled."""
        _announce(False)


class _Lower(Lower):
    """Code without reference counts in functions that create no array."""

    VIEWS = "getitem", "static_getitem", "getiter", "iternext"  # views of existing arrays

    def lower_normal_function(self, fndesc: Any) -> None:
        """Lower a function."""
        self.has_counts = self._is_counted(fndesc.restype) or any(
            self._makes(expression, signature) for expression, signature in fndesc.calltypes.items()
        )
        super().lower_normal_function(fndesc)
        if self.has_counts:
            return
        for block in self.function.blocks:
            block.instructions = [x for x in block.instructions if not _is_count(x)]

    def incref(self, typ: Any, val: Any) -> None:
        """Increase a reference count."""
        if self.has_counts:
            super().incref(typ, val)

    def decref(self, typ: Any, val: Any) -> None:
        """Decrease a reference count."""
        if self.has_counts:
            super().decref(typ, val)

    def _is_counted(self, kind: Any) -> bool:
        return self.context.data_model_manager[kind].contains_nrt_meminfo()

    def _makes(self, expression: Any, signature: Any) -> bool:
        """Whether an expression may create an array."""
        operation = getattr(expression, "op", "")
        if signature is None or operation in self.VIEWS:
            return False
        if operation == "call":
            is_tuple = isinstance(self.typeof(expression.func.name), types.NamedTupleClass)
            return not is_tuple and self._is_counted(signature.return_type)
        return self._is_counted(signature.return_type)


def _is_count(instruction: Any) -> bool:
    callee = getattr(instruction, "callee", None)
    return getattr(callee, "name", "") in ("NRT_incref", "NRT_decref")


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):
    """Lowering without reference counts where there is nothing to count."""

    _name = "kernel_lowering"
    lowering_class = _Lower


class _Part(JITCodeLibrary):
    """Code that is only linked into that of kernels, and optimised there."""

    def _optimize_functions(self, ll_module: Any) -> None:
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

    def run_pass(self, state: Any) -> bool:
        """Lower a function."""
        name, context = state.func_id.func_qualname, state.targetctx
        state.library = _Part(context.codegen(), name)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, module = state.cr, state.cr.fndesc.lookup_module()
        key = make_function(module, name, "", 0, lowered.env, (state.library,))
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
    compiler = _KernelCompiler if IS_KNOWN else Compiler
    options: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
    dispatcher: Any = njit(pipeline_class=compiler, **options)(function)
    dispatcher._cache = code_cache(function)
    return dispatcher


def inner(function: Function) -> Function:
    """Compile a function that only other kernels call."""
    options: dict[str, Any] = {"error_model": "numpy"}
    if not IS_KNOWN:
        return njit(**options)(function)
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    dispatcher: Any = njit(pipeline_class=_PartCompiler, **options)(function)
    template_for = dispatcher.get_call_template

    def for_any_value(kinds: tuple[Any, ...], named: dict[str, Any]) -> object:
        """Compile once for integers, not for each constant among the arguments."""
        named = {name: types.unliteral(kind) for name, kind in named.items()}
        return template_for([types.unliteral(kind) for kind in kinds], named)

    dispatcher.get_call_template = for_any_value
    return dispatcher
