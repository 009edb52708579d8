"""Setup: contents of the window's forms, with every field checked."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
import numpy as np

from sim.dynamics.gravity import GRAVITY
from sim.engine_names import EngineName
from sim.functions.lint import Level
from sim.recording.schema.methods import MethodName

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SHIPPED = r"[A-Za-z0-9][\w-]{0,59}"
_FOLDERS = r"(?:[A-Za-z0-9][\w-]{0,59}/){0,4}"
ROBOT = re.compile(rf"{_SHIPPED}|{_FOLDERS}[A-Za-z0-9][\w.-]{{0,59}}\.(?i:urdf|xml|sdf)", re.ASCII)
DECK = re.compile(r"decks/[a-z][a-z0-9_]{0,39}\.adm")

MOST_ROWS = 5000  # of a table
MOST_JOINTS = 200

Word = Annotated[str, msgspec.Meta(max_length=100)]
Text = Annotated[str, msgspec.Meta(max_length=4000)]
Numbers = Annotated[list[float], msgspec.Meta(max_length=MOST_ROWS)]
PerJoint = Annotated[dict[Word, float], msgspec.Meta(max_length=MOST_JOINTS)]
MOST_FORCES = 50
MOST_VARIED = 20
Vector = tuple[float, float, float]
PointOnLink = tuple[Word, Vector]
Sphere = tuple[Word, Vector, float]
TrainNumbers = Annotated[dict[Word, float], msgspec.Meta(max_length=30)]
Component = Literal["x", "y", "z", "b1", "b2", "b3"]
Mount = Literal["floor", "wall", "ceiling"]


class Drive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Drive of one joint; a joint without a drive holds its start position.

    Parameters
    ----------
    kind : str
        A level, ``free``, or ``table`` for a column of the table.
    text : str
        Function of time, for a level only.
    """

    kind: Level | Literal["free", "table"]
    text: Text = ""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points pasted from a spreadsheet, interpolated by natural cubic splines.

    Parameters
    ----------
    level : str
        Level of the columns.
    times : list of float
        [s]
    columns : dict of str to list of float
        By joint, [rad or m] or their rates.
    """

    level: Literal["displacement", "velocity"]
    times: Numbers
    columns: Annotated[dict[Word, Numbers], msgspec.Meta(max_length=MOST_JOINTS)]


class Points(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points of the tool over time, interpolated by natural cubic splines.

    Parameters
    ----------
    times : list of float
        [s]
    columns : dict of str to list of float
        By component [m or rad].
    """

    times: Numbers
    columns: dict[Component, Numbers]


class Spring(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A spring and damper between two points of links.

    Parameters
    ----------
    name : str
    i, j : tuple of str and tuple of float
        Link, and the point in its frame [m].
    stiffness, damping, free_length : float
        [N/m], [N·s/m], [m]
    """

    name: Word
    i: PointOnLink
    j: PointOnLink
    stiffness: float
    damping: float = 0.0
    free_length: float = 0.0


class Floor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A floor that spheres of links touch.

    Parameters
    ----------
    spheres : list of (str, tuple of float, float)
        Link, the centre in its frame [m], radius [m].
    height : float
        [m]
    stiffness, damping, friction : float
        [N/m], [N·s/m], and the friction coefficient.
    """

    spheres: Annotated[list[Sphere], msgspec.Meta(min_length=1, max_length=MOST_FORCES)]
    height: float = 0.0
    stiffness: float = 1e5
    damping: float = 100.0
    friction: float = 0.0


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Robot, motion and settings of one run, as in the forms.

    Parameters
    ----------
    robot : str
        Name of a shipped robot, or a file of the folder; or a deck below ``decks/``, for which
        only duration and step are set here.
    tool : str
        Link of the tool frame; empty for the robot's own.
    drives : dict of str to Drive
    table : Table or None
        Columns for the joints whose drive is ``table``.
    path : dict of str to str or None
        Functions of time of the components of the tool's pose [m or rad], which move all joints
        instead of drives.
    points : Points or None
        The path as points.
    start : str
        Named pose.
    positions : dict of str to float
        Start positions by joint [rad or m], instead of the named pose; the others are zero.
    mount : str
    payload : float
        [kg]
    com : tuple of float
        Mass centre of the payload in the tool frame [m].
    friction : dict of str to float
        Constant dry friction by joint [N·m or N].
    drive_trains : dict of str to dict of str to float
        Arguments of `sim.DriveTrain` by joint.
    springs : list of Spring
    floor : Floor or None
    gravity : tuple of float
        [m/s²]
    duration, dt : float
        [s]
    method : str
    engine : str or None
        None for the default.
    varied : list of str
        Numbers of `sim.studio.parameters` that are parameters of the script.
    """

    robot: Word
    tool: Word = ""
    drives: Annotated[dict[Word, Drive], msgspec.Meta(max_length=MOST_JOINTS)] = {}
    table: Table | None = None
    path: dict[Component, Text] | None = None
    points: Points | None = None
    start: Word = "zero"
    positions: PerJoint = {}
    mount: Mount = "floor"
    payload: float = 0.0
    com: Vector = (0.0, 0.0, 0.0)
    friction: PerJoint = {}
    drive_trains: Annotated[dict[Word, TrainNumbers], msgspec.Meta(max_length=MOST_JOINTS)] = {}
    springs: Annotated[list[Spring], msgspec.Meta(max_length=MOST_FORCES)] = []
    floor: Floor | None = None
    gravity: Vector = GRAVITY
    duration: float = 10.0
    dt: float = 0.001
    method: MethodName = "stepped"
    engine: EngineName | None = None
    varied: Annotated[list[Word], msgspec.Meta(max_length=MOST_VARIED)] = []

    def drives_of(self, kind: str) -> dict[str, str]:
        """Return functions of the joints with this kind of drive."""
        return {name: one.text for name, one in self.drives.items() if one.kind == kind}

    @property
    def is_deck(self) -> bool:
        """Whether the setup is a deck, with only duration and step."""
        return DECK.fullmatch(self.robot) is not None

    @property
    def free(self) -> list[str]:
        """Joints without a drive."""
        return list(self.drives_of("free"))

    @property
    def follows_path(self) -> bool:
        """Whether the tool's path moves the joints."""
        return self.path is not None or self.points is not None

    @property
    def table_columns(self) -> dict[str, list[float]]:
        """Columns of the table that drive a joint."""
        columns = {} if self.table is None else self.table.columns
        return {name: columns[name] for name in self.drives_of("table") if name in columns}


class CurveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A typed function for a revolute or prismatic joint, over a duration [s]."""

    text: Text
    level: Level
    duration: float
    sliding: bool = False


def is_finite(setup: Setup) -> bool:
    """Whether all numbers are finite and have Python literals."""
    single = (setup.payload, *setup.com, *setup.gravity, setup.duration, setup.dt)
    forces = [
        *(
            (*one.i[1], *one.j[1], one.stiffness, one.damping, one.free_length)
            for one in setup.springs
        ),
        *(train.values() for train in setup.drive_trains.values()),
    ]
    if (floor := setup.floor) is not None:
        forces.append((floor.height, floor.stiffness, floor.damping, floor.friction))
        forces += [(*at, radius) for _, at, radius in floor.spheres]
    table = [] if setup.table is None else [setup.table.times, *setup.table.columns.values()]
    if setup.points is not None:
        table += [setup.points.times, *setup.points.columns.values()]
    every = [
        *map(list, forces),
        single,
        list(setup.positions.values()),
        list(setup.friction.values()),
        *table,
    ]
    return all(np.isfinite(np.asarray(row, dtype=np.float64)).all() for row in every)
