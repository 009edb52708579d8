"""Kinds of ADAMS REQUEST between two markers, result columns, and names of channels.

Source: MSC Adams Solver, statement REQUEST.
"""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, Mapping[str, str]] = {
    "DISPLACEMENT": {
        **{axis: f"D{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "MAG": "DM({i}, {j})",
        **{angle: f"{angle}({{i}}, {{j}})" for angle in ("PSI", "THETA", "PHI")},
    },
    "VELOCITY": {
        **{f"V{axis}": f"V{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "VM": "VM({i}, {j})",
        **{f"W{axis}": f"W{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "WM": "WM({i}, {j})",
    },
    "ACCELERATION": {
        **{f"ACC{axis}": f"ACC{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "ACCM": "ACCM({i}, {j})",
        **{f"WDT{axis}": f"WDT{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "WDTM": "WDTM({i}, {j})",
    },
    "FORCE": {
        **{f"F{axis}": f"F{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "FM": "FM({i}, {j})",
        **{f"T{axis}": f"T{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "TM": "TM({i}, {j})",
    },
}
"""Of each kind its components, and the functions of I, J and RM that they are."""

COLUMNS = tuple(f"F{number}" for number in range(1, 9))


def request_channel(group: str, name: str, component: str) -> str:
    """Return the channel of a request's component; variables have no name between."""
    return f"variable.{component}" if group == "variable" else f"{group}.{name}.{component}"
