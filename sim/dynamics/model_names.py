"""ModelNames: names of a robot's parts and joints in another program, as in its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sim.dynamics.joint_ends import JointEnds
from sim.dynamics.request import Request
from sim.robots.marker import Marker
from sim.robots.names import Names
from sim.showing.one_line import count_text, one_line

PART = "part"  # name of the marker in the functions of a part's request

PLACE = {axis.lower(): f"D{axis}({PART})" for axis in "XYZ"}
TURNED = {f"q{c}": f"ORIENT(27, {k}, {PART})" for k, c in ((2, "x"), (3, "y"), (4, "z"), (1, "w"))}
RATES = {
    f"{letter}{axis.lower()}": f"{function}{axis}({PART})"
    for letter, function in (("v", "V"), ("w", "W"), ("a", "ACC"), ("wd", "WDT"))
    for axis in "XYZ"
}
ANGLES = {name.lower(): f"{name}({PART})" for name in ("PSI", "THETA", "PHI")}

RECORDED = (*PLACE, *TURNED, *RATES)
"""Components of a part that is recorded: as of a tool, in the world."""

FUNCTIONS: Mapping[str, str] = {**PLACE, **TURNED, **RATES, **ANGLES}
"""By component, also the body 3-1-3 angles."""


@dataclass(frozen=True, eq=False)
class ModelNames:
    """Names of parts and joints in another program, to compare its results.

    Parameters
    ----------
    parts : mapping of str to Marker
        Frame of each part on its link, by the part's name.
    joints : mapping of str to JointEnds
        Joint of this robot and its two markers, by the joint's name.
    motions : mapping of str to str
        Joint that a motion drives, by the motion's name.
    """

    parts: Mapping[str, Marker] = field(default_factory=dict)
    joints: Mapping[str, JointEnds] = field(default_factory=dict)
    motions: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = ((self.parts, "part"), (self.joints, "joint"), (self.motions, "motion"))
        return one_line("ModelNames:", *(count_text(len(x), what) for x, what in counts))

    def part(self, name: str, components: Iterable[str] = RECORDED) -> Request:
        """Return the request for components of a part: channels ``part.<name>.x`` …."""
        marker = Marker(PART, *(getattr(self.parts[name], key) for key in ("link", "xyz", "rpy")))
        functions = {component: FUNCTIONS[component] for component in components}
        return Request(name, functions, names=Names((marker,)), group="part")
