"""Request: a study as it is asked for, in texts; what its folder keeps so that it can go on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from sim.recording.methods import MethodName
from sim.studies.design import DesignName
from sim.studies.tolerances import Distribution

AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the options of ``sim sweep``, or the arguments of `sim.sweep`, ask for.

    Parameters
    ----------
    scenario : str
        Name of a shipped one, or path of a script.
    vary, tolerance, response : tuple of str
        As they are typed: ``load=0:10:21``, ``mass=2%``, ``peak tau.*``.
    settings : mapping of str to str
        Of parameters that are the same in all cases.
    method, dt, design, samples : optional
    seed : int
    distribution : str
    largest, smallest, within : str, optional
        ``load=0:10`` and the limit to keep.
    to : float, optional
        Precision of the value that is searched.
    keep : int or "all"
        How many runs are kept.
    no_report : bool
    analytic : bool
    proof : int
        How many cases of an analytic study are simulated.
    """

    scenario: str
    vary: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}
    method: MethodName | None = None
    dt: float | None = None
    design: DesignName | None = None
    samples: AtLeastOne | None = None
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    tolerance: tuple[str, ...] = ()
    distribution: Distribution = "normal"
    response: tuple[str, ...] = ()
    largest: str | None = None
    smallest: str | None = None
    within: str | None = None
    to: float | None = None
    keep: Annotated[int, msgspec.Meta(ge=0)] | Literal["all"] = 0
    no_report: bool = False
    analytic: bool = False
    proof: AtLeastOne = 5

    @property
    def files(self) -> list[Path]:
        """Files of Python whose functions are asked."""
        limit = re.split(r">=|<=", self.within or "")[0].strip()
        named = (text.rpartition(":")[0] for text in (*self.response, limit))
        return [Path(file).resolve() for file in named if file.endswith(".py")]

    @property
    def words(self) -> tuple[str, ...]:
        """The command that asks for the same."""
        said = ["sim", "sweep", self.scenario]
        for name, value in msgspec.structs.asdict(self).items():
            if name == "scenario" or value == _DEFAULTS[name]:
                continue
            option = f"--{name.replace('_', '-')}"
            if name == "settings":
                said += [word for key, v in value.items() for word in ("--set", f"{key}={v}")]
            elif isinstance(value, tuple):
                said += [word for one in value for word in (option, one)]
            else:
                said += [option] if value is True else [option, str(value)]
        return tuple(said)


_DEFAULTS = msgspec.structs.asdict(Request(scenario=""))
