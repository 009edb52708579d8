"""Units of the recorded channels."""

from __future__ import annotations

from collections.abc import Collection

_TURNING = {
    "q": "rad",
    "qd": "rad/s",
    "qdd": "rad/s²",
    "tau": "N·m",
    "tau_error": "N·m",
    "friction": "N·m",
    "stop": "N·m",
    "power": "W",
}
_SLIDING = {
    "q": "m",
    "qd": "m/s",
    "qdd": "m/s²",
    "tau": "N",
    "tau_error": "N",
    "friction": "N",
    "stop": "N",
    "power": "W",
}
_TOOL = {"x": "m", "y": "m", "z": "m", "v": "m/s", "w": "rad/s", "q": "1", "a": "m/s²"}
_TOOL |= dict.fromkeys(("wdx", "wdy", "wdz"), "rad/s²")


def unit_of(channel: str, prismatic: Collection[str] = ()) -> str:
    """SI unit of a channel such as ``tau.elbow_joint``.

    Parameters
    ----------
    channel : str
    prismatic : collection of str
        Names of the joints whose coordinate is a length.
    """
    group, _, rest = channel.partition(".")
    if group in _TURNING:
        return (_SLIDING if rest in prismatic else _TURNING)[group]
    if group in ("ke", "pe", "work", "loss", "external"):
        return "J"
    if group in ("reaction", "measure", "loop"):
        return "N" if rest.rpartition(".")[2].startswith("f") else "N·m"
    if group in ("tool", "target"):
        return _TOOL.get(rest, _TOOL[rest[0]])
    return "s" if channel == "t" else "1"
