"""Times at which an expression is not smooth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from sim.errors import ScenarioError
from sim.functions.jet import Jet, heading, sign_after
from sim.functions.syntax import POINTS, Call, Node, Reading, evaluate, walk
from sim.maths.arrays import Array

SAMPLES = 512
"""Points at which the arguments of a switching function are looked at, per smooth piece."""

MOST = 200_000
"""How many such points, or breaks, are too many for a motion."""

WORK = 300_000_000
"""How many values of parts of an expression may be looked at: about ten seconds."""

FEWEST = 300
"""To look at fewer values takes no less time."""

NARROW = 1e-3
"""Width of a bend of `SHARP` functions, as a share of the time, that a solver may step over."""

SHARP = ("EXP", "TANH")
"""Smooth functions whose narrow pulses and steps a solver may step over."""

MOST_MIDDLES = 100
"""Of a function with more of them none is looked at: a solver meets one of many pulses."""

Watched = Callable[[Array], tuple[Jet, ...]]


def break_times(
    node: Node,
    t0: float,
    t1: float,
    variables: Mapping[str, Node] | None = None,
    *,
    has_middles: bool = False,
) -> Array:
    """Return sorted times in [t0, t1] where the expression or a derivative may jump [s].

    These are the times at which an argument of a function passes a value where that function
    switches, such as an end of a STEP or zero in an IF. Rounding puts each on the new side of the
    switch, so that the values there are those from the right. A switch in a branch that an IF does
    not take is included; one that depends on the state is not.

    Parameters
    ----------
    variables : mapping of str to Node
        Expressions that VARVAL reads and that depend on time only, each after those that it reads.
    has_middles : bool
        Whether to include the middles of `NARROW` pulses and steps of `SHARP` functions, which are
        smooth. There are none if they take too long to find.

    Raises
    ------
    ScenarioError
        If the expression switches more than `MOST` times, or the search takes more than `WORK`.
    """
    if has_middles:
        with suppress(ScenarioError):  # if the switches alone are too many, refused below
            return _times(node, t0, t1, _Work(variables or {}, has_middles=True))
    return _times(node, t0, t1, _Work(variables or {}))


def _times(node: Node, t0: float, t1: float, work: _Work) -> Array:
    with np.errstate(all="ignore"):
        for label, one in work.variables.items():
            work.known[label] = _breaks(one, t0, t1, work)
        times = _breaks(node, t0, t1, work)
    for end in (t0, t1):
        times = np.where(np.abs(times - end) <= _rounding(t0, t1), end, times)
    return _distinct_times(times[(times >= t0) & (times <= t1)])


@dataclass
class _Work:
    """Remaining budget for one expression, and breaks of the variables that it reads."""

    variables: Mapping[str, Node]
    has_middles: bool = False
    budget: float = field(default_factory=lambda: WORK)
    known: dict[str, Array] = field(default_factory=dict)

    def read_by(self, nodes: tuple[Node, ...]) -> list[str]:
        """Return the variables that nodes read, directly or not, each after those that it reads."""
        read = {_variable_of(part) for node in nodes for part in walk(node)} - {""}
        ordered = list[str]()
        for label in reversed(self.known) if read else ():
            if label in read:
                ordered.append(label)
                read |= {_variable_of(part) for part in walk(self.variables[label])}
        return ordered[::-1]

    def values(
        self, nodes: tuple[Node, ...], size: int, read_first: Sequence[str], t: Array
    ) -> tuple[Jet, ...]:
        """Return the values of nodes with `size` parts in total at the times `t`."""
        self.budget -= size * max(t.size, FEWEST)
        if self.budget < 0:
            raise ScenarioError(
                "the switching points of the function take too long to find: too many of its "
                f"parts switch; {POINTS}"
            )
        time, jets = Jet.time(t), dict[str, Jet]()

        def read(one: Reading) -> Jet:
            """Return a variable; of the state an undefined value, so that it causes no switch."""
            return jets.get(_variable_of(one), Jet.constant(np.nan))

        for label in read_first:
            jets[label] = evaluate(self.variables[label], time, read)
        return tuple(evaluate(node, time, read) for node in nodes)


def _variable_of(one: Node) -> str:
    """Return the name of the variable that is read; empty for other parts."""
    return one.labels[0] if isinstance(one, Reading) and one.name == "VARVAL" else ""


def _breaks(node: Node, t0: float, t1: float, work: _Work) -> Array:
    if isinstance(node, Reading):
        return work.known.get(_variable_of(node), np.empty(0))
    if not isinstance(node, Call):
        return np.empty(0)
    inner = _distinct_times(np.concatenate([_breaks(a, t0, t1, work) for a in node.arguments]))
    function = node.function
    switching = function.zeros or function.steps
    is_sharp = work.has_middles and node.name in SHARP
    if function.points is None and switching is None and not is_sharp:
        return inner
    first = work.read_by(node.arguments)
    watched = (*node.arguments, *(work.variables[label] for label in first))
    size = sum(1 for part in watched for _ in walk(part))

    def arguments(t: Array) -> tuple[Jet, ...]:
        return work.values(node.arguments, size, first, t)

    if is_sharp:
        middles = np.empty(0)
        with suppress(ScenarioError):  # too many
            middles = _middles(arguments, node.name == "EXP", inner, t0, t1)
        return np.concatenate([inner, middles])
    if function.points is not None:
        return np.concatenate([inner, _at_points(function.points, arguments, inner, t0, t1)])
    side = sign_after if function.zeros else function.whole

    def watch(t: Array) -> tuple[Jet, ...]:
        return switching(*arguments(t)) if switching else ()

    def sides(t: Array) -> Array:
        return _rows(map(side, watch(t)), t)

    nearby = _rounding(t0, t1)
    if all(g.is_affine for g in watch(np.array([t0, t1]))):
        roots = _affine_roots(watch, t0, t1, 0.5 if function.steps else 0.0)
        changes = _changes(sides, roots - nearby, roots + nearby)
        exact = np.append(roots, np.inf)[np.searchsorted(roots, changes)]
        switches = np.where(exact - changes <= nearby, exact, changes)
    else:
        # A break at t0 itself is only detected from before it.
        before = t0 - 2.0**-30 * max(t1 - t0, abs(t0))
        grid = _grid(watch, np.concatenate([[before], inner[inner > before], [t1 + nearby]]))
        switches = _changes(sides, grid[:-1], grid[1:])
    return np.concatenate([inner, switches])


def _at_points(points: Array, watched: Watched, inner: Array, t0: float, t1: float) -> Array:
    """Return times at which the single argument of a function passes one of the `points`."""
    (x,) = watched(np.array([0.0]))
    if x.is_constant:
        return np.empty(0)
    if x.is_affine:
        return (points - x.value[0]) / x.first

    def count_passed(t: Array) -> Array:
        (x,) = watched(t)
        below, above = (np.searchsorted(points, x.value, side=s) for s in ("left", "right"))
        return _rows([np.where(heading(x) < 0, below, above).astype(np.float64)], t)

    before = t0 - 2.0**-30 * max(t1 - t0, abs(t0))
    edges = np.concatenate([[before], inner[inner > before], [t1 + _rounding(t0, t1)]])
    grid = _grid(watched, edges)
    return _changes(count_passed, grid[:-1], grid[1:])


def _middles(watched: Watched, has_turns: bool, inner: Array, t0: float, t1: float) -> Array:
    """Return times at which the single argument is zero, or turns, if it does so fast."""
    (x,) = watched(np.array([t0, t1]))
    if x.is_constant or np.isnan(x.value).any():
        return np.empty(0)
    longest = 1 / (NARROW * (t1 - t0)) if t1 > t0 else np.inf
    if x.is_affine:
        roots = _affine_roots(watched, t0, t1, 0.0)
        return roots if np.abs(x.first).max() > longest else np.empty(0)

    def sides(t: Array) -> Array:
        (x,) = watched(t)
        return _rows([np.sign(x.value), np.sign(x.first)][: 1 + has_turns], t)

    edges = np.concatenate([[t0], inner[(inner > t0) & (inner < t1)], [t1]])
    grid = _grid(watched, edges, MOST_MIDDLES)
    times = _changes(sides, grid[:-1], grid[1:], MOST_MIDDLES)
    (x,) = watched(times)
    is_fast = np.maximum(np.abs(x.first), np.sqrt(np.abs(x.second))) > longest
    return times[np.broadcast_to(is_fast, times.shape)]


def _affine_roots(watched: Watched, t0: float, t1: float, spacing: float) -> Array:
    """Return sorted times in [t0, t1] when affine functions are a multiple of `spacing`, or 0."""
    roots = [np.empty(0)]
    for g in watched(np.array([0.0, t0, t1])):
        if g.is_constant or not np.isfinite(g.value).all():
            continue  # infinite or undefined throughout
        origin, *ends = g.value
        levels = np.zeros(1)
        if spacing > 0.0:
            low, high = np.floor(min(ends) / spacing), np.ceil(max(ends) / spacing)
            _refuse_too_many(high - low, t0)
            levels = spacing * np.arange(low, high + 1.0)
        roots.append((levels - origin) / g.first)
    times = np.sort(np.concatenate(roots))
    nearby = _rounding(t0, t1)
    return times[(times >= t0 - nearby) & (times <= t1 + nearby)]


def _grid(watched: Watched, edges: Array, most_turns: int = MOST) -> Array:
    """Return times between which each watched function is monotone, according to samples."""
    longest = float(np.max(np.diff(edges)))
    most = max(4, MOST // (edges.size - 1))
    count = min(SAMPLES, most)
    for g in watched(_spread_points(edges, count)):
        spread, bend = np.ptp(_finite(g.value)), np.max(np.abs(_finite(g.second)))
        if spread > 0.0:  # a dozen points per wave
            count = max(count, int(min(longest * np.sqrt(8.0 * bend / spread), most)))
    times = _spread_points(edges, count)
    turns = _changes(
        lambda t: _rows([np.sign(g.first) for g in watched(t)], t),
        times[:-1],
        times[1:],
        most_turns,
    )
    return np.union1d(times, turns)


def _changes(sides: Callable[[Array], Array], lo: Array, hi: Array, most: int = MOST) -> Array:
    """Return all times in the brackets (lo, hi] at which `sides`, shape (k, N), changes.

    Each bracket with different ends is bisected until its ends are adjacent floats.
    """
    if not lo.size:
        return lo
    finest = 2.0**-64 * max(np.max(np.abs(lo)), np.max(np.abs(hi)))
    left, right = sides(lo), sides(hi)
    while True:
        differ = np.any(left != right, axis=0)
        lo, hi, left, right = lo[differ], hi[differ], left[:, differ], right[:, differ]
        _refuse_too_many(lo.size, np.min(lo, initial=np.inf), most)
        middle = lo + 0.5 * (hi - lo)
        if np.all((middle <= lo) | (middle >= hi) | (hi - lo <= finest)):
            return hi
        between = sides(middle)
        lo, hi = np.concatenate([lo, middle]), np.concatenate([middle, hi])
        left = np.concatenate([left, between], axis=1)
        right = np.concatenate([between, right], axis=1)


def _refuse_too_many(count: float, t: float, most: int = MOST) -> None:
    if count > most:
        raise ScenarioError(f"the function switches more than {most} times after t = {t:.6g} s")


def _rows(values: Iterable[Array], t: Array) -> Array:
    rows = np.stack([np.broadcast_to(v, t.shape) for v in values])
    return np.nan_to_num(rows, nan=0.5)  # undefined is a side too; unlike NaN it equals itself


def _rounding(t0: float, t1: float) -> float:
    return 2.0**-48 * max(abs(t0), abs(t1))


def _spread_points(edges: Array, count: int) -> Array:
    return np.unique(np.linspace(edges[:-1], edges[1:], count + 1))


def _finite(values: Array) -> Array:
    finite = np.atleast_1d(values)[np.isfinite(np.atleast_1d(values))]
    return finite if finite.size else np.zeros(1)


def _distinct_times(times: Array) -> Array:
    """Sort times; of those that differ only by rounding keep the last, when all have passed."""
    times = np.sort(times)
    is_distinct = np.diff(times) > 2.0**-48 * np.abs(times[1:])
    return times[np.append(is_distinct, True)] if times.size else times
