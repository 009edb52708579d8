"""GCON of a deck as a loop: a rod where it keeps a distance, else a string of two frames.

Source: MSC Adams Solver, statement GCON.
"""

from __future__ import annotations

import re

import numpy as np

from sim.decks.deck_calls import CALL, is_id, labels_of
from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_urdf import without_rounding
from sim.decks.statements import Statement
from sim.decks.velocity_gcons import integrated
from sim.errors import SimError
from sim.functions.expression import expression
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.loop import Loop

GROUND = "0"
SHIFTS = ("DX", "DY", "DZ")
READ = ("DM", "DX", "DY", "DZ", "AX", "AY", "AZ")
SAME = 1e-9  # of the largest value of a function, by which rounding may change it
PARALLEL = 1e-12  # of axes, what rounding of their angles makes
_SHIFT = re.compile(r"\b(D[XYZ])\(([^()]*)\)")
_ROD = re.compile(r"DM\([^()]*\)-(\d[\d.E+-]{0,40})", re.IGNORECASE)  # without blanks


def markers_of(one: Statement, functions: DeckFunctions) -> tuple[str, str]:
    """The two markers that the function of a GCON reads; "0" is the ground.

    Raises
    ------
    DeckError
        If they are none or more.
    """
    text = _position_text(one, functions)
    pairs = dict[tuple[str, str], bool]()
    for match in CALL.finditer(text):
        if match[2] is not None and match[1].upper() in READ:
            i, j, *_ = (*labels_of(match[2]), GROUND)
            pairs[i, j] = pairs.get((i, j), False) or match[1].upper() != "DM"
    if not pairs:
        raise one.refusal(f"its function {text!r} reads no two markers by {', '.join(READ)}")
    b, a = max(pairs, key=lambda pair: pairs[pair])
    if any(set(pair) != {a, b} for pair in pairs):
        raise one.refusal(f"its function {text!r} reads more than two markers, {a} and {b}")
    return b, a


def gcon_loop(one: Statement, name: str, functions: DeckFunctions) -> Loop:
    """What a GCON keeps of two markers, of which the second is frame a.

    Raises
    ------
    DeckError
        If it has no FUNCTION, or reads no two markers, or more.
    """
    text = _position_text(one, functions)
    b, a = markers_of(one, functions)
    if not _is_same_along_any_axes(text) and _is_along(b, text, functions):
        b, a = (b, a) if _is_along(a, text, functions) else (a, b)

    def of_frames(match: re.Match[str]) -> str:
        if match[2] is None:
            return match[0]
        labels = [*labels_of(match[2])]
        optional = 3 if match[1].upper() in SHIFTS else 2
        if match[1].upper() in READ:
            labels += [GROUND] * (optional - len(labels))
        is_turned = match[1].upper() in SHIFTS and labels[:2] == [a, b]
        if is_turned:  # from b to a is the way from a to b, backwards
            labels[:2] = b, a
        given = ",".join({a: "a", b: "b"}.get(label, label) for label in labels)
        call = f"{match[1].upper()}({given})"
        return f"(-{call})" if is_turned else call

    text = CALL.sub(of_frames, text)
    ends = _id(one, b, functions), _id(one, a, functions)
    along = _marker_along(text, ends[1], functions)
    if along is not None or _is_same_along_any_axes(text):
        text = _SHIFT.sub(r"\1(b,a,a)", text)
    if (length := _rod_length(one.text("FUNCTION") or "")) > 0:
        (link_b, T_b), (link_a, T_a) = (place_of(id, functions) for id in ends)
        points = link_a, without_rounding(T_a[:3, 3]), link_b, without_rounding(T_b[:3, 3])
        return Loop(name, *points, kind="rod", length=length * functions.deck.units.length)
    return function_loop(name, *ends, text, functions, along)


def _position_text(one: Statement, functions: DeckFunctions) -> str:
    """The function of a GCON in SI units; one of velocities as that of the positions they are."""
    return integrated(one, functions) or functions.without_variables(functions.text(one))


def _is_along(marker: str, text: str, functions: DeckFunctions) -> bool:
    """True if all shifts in a function are along axes that stand still with a marker."""
    found = [labels_of(m[2]) for m in CALL.finditer(text) if m[2] and m[1].upper() in SHIFTS]
    axes = {(*labels, GROUND, GROUND)[2] for labels in found}
    deck, ground = functions.deck, functions.deck.ground.statement.id
    known = [int(x) for x in (marker, *axes) if is_id(x) and int(x) in {0, *deck.markers}]
    parts = {ground if id == 0 else deck.markers[id].part for id in known}
    return len(known) == 1 + len(axes) and len(parts) == 1


def _marker_along(text: str, a: int, functions: DeckFunctions) -> int | None:
    """The marker along whose axes all shifts are, if these stand still in frame a, and may be its.

    0 is the world. None of any other function: frame a keeps its own axes.
    """
    labels = {labels_of(match[2])[2] for match in _SHIFT.finditer(text)}
    label = labels.pop() if len(labels) == 1 else "a"
    markers, ground = functions.deck.markers, functions.deck.ground.statement.id
    if not is_id(label) or int(label) not in {0, *markers}:
        return None
    of_axes, of_a = (ground if id == 0 else markers[id].part for id in (int(label), a))
    (_, T_axes), (_, T_a) = (place_of(id, functions) for id in (int(label), a))
    turns = any(f"A{axis}(" in text for axis in "XYZ")
    is_turned = np.abs(T_axes[:3, :3] - T_a[:3, :3]).max() > PARALLEL
    return None if of_axes != of_a or (turns and is_turned) else int(label)


def _is_same_along_any_axes(text: str) -> bool:
    """True of a function of the distance of b and a alone, such as DX² + DY² + DZ²."""
    if not _SHIFT.search(text) or any(f"A{axis}(" in text for axis in "XYZ"):
        return False
    rng, values = np.random.default_rng(0), []
    for d in rng.normal(size=(3, 3)):
        for R in (np.eye(3), *np.linalg.qr(rng.normal(size=(2, 3, 3)))[0]):
            places = dict(zip(("DX", "DY", "DZ"), (R @ d).tolist(), strict=True))
            found = _SHIFT.sub(lambda match, at=places: f"({at[match[1]]!r})", text)  # type: ignore[misc]
            found = re.sub(r"\bDM\([^()]*\)", repr(float(np.linalg.norm(d))), found)
            try:
                values.append(float(expression(found).value(0.0)))
            except SimError:  # the loop reports it
                return False
    same = np.array(values).reshape(3, 3)
    return bool(np.ptp(same, axis=1).max() <= SAME * max(1.0, np.abs(same).max()))


def function_loop(
    name: str, b: int, a: int, text: str, functions: DeckFunctions, along: int | None = None
) -> Loop:
    """The loop that keeps a function of the frames a and b of two markers at zero.

    Frame a has the axes of the marker `along` on its part, if that is given.
    """
    link_a, T_a = place_of(a, functions)
    R_a = T_a[:3, :3] if along is None else place_of(along, functions)[1][:3, :3]
    link_b, T_b = place_of(b, functions)
    return Loop(
        name,
        link_a,
        without_rounding(T_a[:3, 3]),
        link_b,
        without_rounding(T_b[:3, 3]),
        kind="function",
        axis_a=without_rounding(R_a[:, 2]),
        axis_b=without_rounding(T_b[:3, 2]),
        across_a=without_rounding(R_a[:, 0]),
        across_b=without_rounding(T_b[:3, 0]),
        function=text,
    )


def _id(one: Statement, label: str, functions: DeckFunctions) -> int:
    """The marker that a function names; 0 is the ground."""
    if label == GROUND:
        return 0
    markers = functions.deck.markers
    if not is_id(label) or int(label) not in markers or markers[int(label)].is_floating:
        raise one.refusal(f"there is no MARKER/{label} with a place")
    return int(label)


def place_of(marker: int, functions: DeckFunctions) -> tuple[str, Array]:
    """Link of a marker and its pose there [m]; of 0 the ground itself."""
    if marker == 0:
        root = functions.tree.links[0]
        return root.name, np.asarray(inverse_pose(root.T_0l))
    link = functions.tree.link_of[functions.deck.markers[marker].part]
    return link.name, np.asarray(inverse_pose(link.T_0l) @ functions.deck.T_0m(marker))


def _rod_length(text: str) -> float:
    """L of a function ``DM(I, J) - L``; 0 of any other."""
    rod = _ROD.fullmatch("".join(text.split()))
    try:
        return 0.0 if rod is None else float(rod[1])
    except ValueError:  # a sum, such as 1-2
        return 0.0
