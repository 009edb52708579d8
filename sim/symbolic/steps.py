"""Equations as a chain of short steps with common subexpressions (sympy's `cse`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.maths.arrays import Array
from sim.symbolic.derivation import SymbolicTerms

if TYPE_CHECKING:
    import sympy as sp


@dataclass(frozen=True, eq=False)
class Steps:
    """Assignments in order: first the auxiliary ones, then the entries of M, C and g.

    Parameters
    ----------
    terms : SymbolicTerms
    auxiliary : tuple of (sympy.Symbol, sympy.Expr)
        x0, x1, …; each depends only on earlier ones.
    entries : dict of str to sympy.Expr
        Keys as in `SymbolicTerms.entries`.
    """

    terms: SymbolicTerms
    auxiliary: tuple[tuple[sp.Symbol, sp.Expr], ...]
    entries: dict[str, sp.Expr]

    @cached_property
    def operations(self) -> int:
        """Number of additions, multiplications, powers and functions."""
        import sympy as sp

        each = [*(step for _, step in self.auxiliary), *self.entries.values()]
        return int(sum(sp.count_ops(one) for one in each))

    @cached_property
    def _function(self) -> Any:
        """The steps in this order as a NumPy function."""
        import sympy as sp

        terms = self.terms
        arguments = [*terms.q, *terms.qd, *(row.symbol for row in terms.constants)]
        chain = (list(self.auxiliary), list(self.entries.values()))
        return sp.lambdify(arguments, terms.M, "numpy", cse=lambda _: chain)

    def evaluate(self, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """Return M and C (K, K, N) and g (K, N) at states (K, N), computed by these steps."""
        K, N = q.shape
        rows = self._function(*q, *qd, *(row.value for row in self.terms.constants))
        values = np.array([np.broadcast_to(row, N) for row in rows], dtype=np.float64)
        M, C, g = np.split(values, [K * K, 2 * K * K])
        return M.reshape(K, K, N), C.reshape(K, K, N), g


def steps_of(terms: SymbolicTerms, *, joined: bool = True) -> Steps:
    """Return the terms as steps, without auxiliary ones if `joined` is false."""
    import sympy as sp

    entries = terms.entries
    if not joined:
        return Steps(terms, (), entries)
    auxiliary, reduced = sp.cse(list(entries.values()), optimizations="basic", order="none")
    return Steps(terms, tuple(auxiliary), dict(zip(entries, reduced, strict=True)))
