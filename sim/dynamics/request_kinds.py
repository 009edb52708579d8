"""Kinds of ADAMS REQUEST between two markers, result columns, and names of channels.

Source: MSC Adams Solver, statement REQUEST.
"""

from __future__ import annotations

from collections.abc import Mapping


def _vectors(*letters: str) -> dict[str, str]:
    """Return components of vectors along RM, and their magnitudes."""
    return {
        f"{letter}{c}": f"{letter}{c}({{i}}, {{j}}{', {rm}' if c != 'M' else ''})"
        for letter in letters
        for c in "XYZM"
    }


KINDS: Mapping[str, Mapping[str, str]] = {
    "DISPLACEMENT": {
        **{axis: f"D{axis}({{i}}, {{j}}, {{rm}})" for axis in "XYZ"},
        "MAG": "DM({i}, {j})",
        **{angle: f"{angle}({{i}}, {{j}})" for angle in ("PSI", "THETA", "PHI")},
    },
    "VELOCITY": _vectors("V", "W"),
    "ACCELERATION": _vectors("ACC", "WDT"),
    "FORCE": _vectors("F", "T"),
}
"""Of each kind its components, and the functions of I, J and RM that they are."""

COLUMNS = tuple(f"F{number}" for number in range(1, 9))


def request_channel(group: str, name: str, component: str) -> str:
    """Return the channel of a request's component; variables have no name between."""
    return f"variable.{component}" if group == "variable" else f"{group}.{name}.{component}"
