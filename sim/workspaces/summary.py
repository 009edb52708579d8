"""A workspace as text and numbers: for a terminal, a page, and as JSON."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from sim.workspaces.maps import Map
from sim.workspaces.workspace import Workspace

NEAR_SINGULAR = 0.02  # least singular value below which a point counts as near-singular

LABELS = MappingProxyType(
    {"directions": "pointing", "singular value": "singular", "gravity": "gravity"}
)
"""Of the lines of the maps."""


def summary_lines(workspace: Workspace) -> list[tuple[str, str]]:
    """Return label and sentence of each line; the first is the heading."""
    rows, columns = workspace.is_reached.shape
    load = f" with {workspace.payload:g} kg" if workspace.payload else ""
    head = (
        f"section {workspace.section.text}{load}, {rows * columns:,} points, spacing "
        f"{_millimetres(workspace.step)}, IK solver: {_words(workspace.family)}"
    )
    lines = [(workspace.robot.name, head), ("reach", _extent(workspace))]
    for one in workspace.maps:
        sentences = {
            "directions": _directions,
            "singular value": _singularity_sentence,
            "gravity": _gravity,
        }
        lines.append((LABELS[one.name], sentences[one.name](workspace, one)))
    lines.append(("check", check_sentence(workspace)))
    return lines + [("note", note) for note in workspace.notes]


def check_sentence(workspace: Workspace) -> str:
    """Describe the agreement of joint samples, which use no inverse, with the reached points."""
    check = workspace.check
    by_inverse = "IK reaches each of them"
    if check.missed:
        by_inverse = f"IK misses {check.missed:,} of them"
    if workspace.family == "numerical":
        by_inverse = "numerical IK started from them"
    return (
        f"{check.count:,} joint samples in the section: {by_inverse}; all are within "
        f"{_millimetres(check.beyond)} of a reached point (limit {_millimetres(check.allowed)})"
    )


def document(workspace: Workspace) -> dict[str, Any]:
    """Return the summary as plain values; lengths in m, angles in rad."""
    u, v = workspace.section.names
    extent = _ends(workspace)
    return {
        "robot": workspace.robot.name,
        "section": workspace.section.key,
        "frame": workspace.robot.tool,
        "tool": workspace.tool or None,
        "family": workspace.family,
        "points": int(workspace.is_reached.size),
        "step": workspace.step,
        "reached": int(np.count_nonzero(workspace.is_reached)),
        "extent": {u: extent[0], v: extent[1]},
        "characteristic_length": workspace.length,
        "maps": {one.name: _map_document(workspace, one) for one in workspace.maps},
        "check": {
            "ok": workspace.check.ok,
            "samples": workspace.check.count,
            "missed": workspace.check.missed,
            "beyond": workspace.check.beyond,
            "allowed": workspace.check.allowed,
            "position_error": workspace.check.pose_error,
            "extent": {
                u: [workspace.check.low[0], workspace.check.high[0]],
                v: [workspace.check.low[1], workspace.check.high[1]],
            },
        },
        "notes": list(workspace.notes),
    }


def _map_document(workspace: Workspace, one: Map) -> dict[str, Any]:
    values = one.values[one.is_reached]
    if not values.size:
        return {"question": one.question, "quantity": one.quantity, "points": 0}
    content: dict[str, Any] = {
        "question": one.question,
        "quantity": one.quantity,
        "points": int(values.size),
        "least": float(values.min()),
        "median": float(np.median(values)),
        "most": float(values.max()),
        "most_at": _place(workspace, int(np.nanargmax(one.values))),
    }
    if one.joint is not None:
        content["most_joint"] = workspace.robot.row_names[int(one.joint[np.nanargmax(one.values)])]
        content["above_rating"] = int(np.count_nonzero(values > 1))
    return content


def _extent(workspace: Workspace) -> str:
    if not workspace.is_reached.any():
        return "no point of the grid is reached"
    (low, high), (bottom, top) = _ends(workspace)
    u, v = workspace.section.names
    check = workspace.check
    return (
        f"{u} {_metres(low)} to {_metres(high)} m, {v} {_metres(bottom)} to {_metres(top)} m, to "
        f"{_millimetres(workspace.step)} (joint samples {_metres(check.low[0])} to "
        f"{_metres(check.high[0])}, {_metres(check.low[1])} to {_metres(check.high[1])} m); "
        f"{_count(workspace.is_reached.sum(), workspace)}"
    )


def _directions(workspace: Workspace, one: Map) -> str:
    values = one.values[one.is_reached]
    if not values.size:
        return "the tool has no direction at any point"
    every = int(np.count_nonzero(values == 1))
    return (
        f"median {_percent(np.median(values), 0)} of the tool directions; all "
        f"directions at {every:,} of {values.size:,} points"
    )


def _singularity_sentence(workspace: Workspace, one: Map) -> str:
    values = one.values[one.is_reached]
    where = _place_phrase(workspace)
    if not values.size:
        return f"{where} no point is reached"
    best = int(np.nanargmax(one.values))
    near = np.count_nonzero(values < NEAR_SINGULAR) / values.size
    return (
        f"{where} {values.size:,} points; smallest singular value {np.median(values):.3f} "
        f"(median), at most {values.max():.3f} ({_place_text(workspace, best)}), below "
        f"{NEAR_SINGULAR} at {_percent(near)} of them; characteristic length "
        f"{workspace.length:.3f} m"
    )


def _gravity(workspace: Workspace, one: Map) -> str:
    values = one.values[one.is_reached]
    where = _place_phrase(workspace)
    if not values.size:
        return f"{where} no point is reached"
    worst = int(np.nanargmax(one.values))
    joint = "" if one.joint is None else workspace.robot.row_names[int(one.joint[worst])]
    above = int(np.count_nonzero(values > 1))
    count_text = f"no posture is inside the ratings at {above:,} of {values.size:,} points"
    if not above:
        count_text = f"all {values.size:,} points have a posture inside the ratings"
    return (
        f"{where} {_percent(np.median(values))} of the rated efforts (median), at "
        f"most {_percent(values.max())} ({joint}, {_place_text(workspace, worst)}); {count_text}"
    )


def _place_phrase(workspace: Workspace) -> str:
    return f"tool {workspace.tool}:" if workspace.tool else "tool in any direction:"


def _ends(workspace: Workspace) -> tuple[list[float], list[float]]:
    rows, columns = (workspace.is_reached.any(axis=axis) for axis in (1, 0))
    if not columns.any():
        return [], []
    u, v = workspace.u[columns], workspace.v[rows]
    return [float(u[0]), float(u[-1])], [float(v[0]), float(v[-1])]


def _place(workspace: Workspace, point: int) -> dict[str, float]:
    row, column = divmod(point, workspace.u.size)
    u, v = workspace.section.names
    return {u: float(workspace.u[column]), v: float(workspace.v[row])}


def _place_text(workspace: Workspace, point: int) -> str:
    return ", ".join(f"{name} {_metres(at)} m" for name, at in _place(workspace, point).items())


def _count(reached: int, workspace: Workspace) -> str:
    return f"{reached:,} points, {reached * workspace.step**2:.3g} m²"


def _words(family: str) -> str:
    return family.replace("_", " ")


def _percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


def _metres(value: float) -> str:
    return f"{value + 0.0:.3f}".replace("-", "−")


def _millimetres(value: float) -> str:
    return f"{1000 * value:.3g} mm"
