"""Whoever reads a run asks its coordinates: a joint that has three rows changes nothing there."""

import msgspec
import numpy as np
import pytest

from sim.checks.agreement import units
from sim.checks.motion_rates import prescribed_joints
from sim.checks.ratings import ratings
from sim.checks.run_view import RunView
from sim.recording.peak_table import peak_table
from sim.recording.schema import facts
from sim.reports.page.html_tables import joint_rows
from sim.reports.run_warnings import warnings
from sim.reports.terminal.summary import _joints
from sim.robots import Coordinate
from sim.robots.coordinate import coordinates_of
from tests.helpers.synthetic_runs import joint, recording

T = np.linspace(0.0, 1.0, 11)
BALL = ("ball.x", "ball.y", "ball.z")
ROWS = ("turn", *BALL, "slide")
GROUPS = ("q", "qd", "qdd", "tau", "power", "friction", "tau_error", "work", "loss")


def three_rows(name, kind, axis, limits):
    if kind != "spherical":
        return coordinates_of(name, kind, axis, limits)
    axes = tuple(map(tuple, np.eye(3).tolist()))
    along = zip("xyz", axes, strict=True)
    return tuple(Coordinate(f"{name}.{c}", name, "turning", one, limits) for c, one in along)


@pytest.fixture
def run(monkeypatch):
    """A joint that turns, one with three rows, and a slide; the three are free."""
    monkeypatch.setattr(facts, "coordinates_of", three_rows)
    columns = {f"{group}.{row}": (1 + k) * T for group in GROUPS for k, row in enumerate(ROWS)}
    made = recording(
        T,
        columns,
        joint("turn", lower=-1.0, upper=2.0),
        joint("ball", "spherical", velocity=1.0, effort=1e-9),
        joint("slide", "prismatic", lower=0.0, upper=0.5),
        free=BALL,
    )
    robot = msgspec.structs.replace(
        made.run.robot, coupling=tuple(map(tuple, np.eye(len(ROWS)).tolist()))
    )
    return made.with_description(robot=robot)


def test_rows_are_named_and_numbered_as_in_the_arrays(run):
    view = RunView(run)
    assert view.row_names == view.tree_row_names == ROWS
    assert [one.name for one in run.run.robot.tree_row_joints] == ["turn", *3 * ["ball"], "slide"]
    assert [row.name for row in run.run.driven] == ["turn", "slide"]
    assert prescribed_joints(view) == ["turn", "slide"]


def test_each_row_has_its_units_and_channels(run):
    view = RunView(run)
    assert [run.units[f"tau.{row}"] for row in ROWS] == [*4 * ["N·m"], "N"]
    (judged,) = units(view)
    assert judged.check.ok
    tampered = RunView(run.with_description(units={**run.units, "q.ball.y": "m"}))
    (judged,) = units(tampered)
    assert (judged.check.ok, judged.check.channel) == (False, "q.ball.y")


def test_each_row_is_judged_by_its_limits(run):
    found = [(one.check.name, one.check.channel) for one in ratings(RunView(run))]
    assert found == [
        ("lower position limit", "q.turn"),
        ("upper position limit", "q.turn"),
        *((f"rated {what}", f"{group}.{row}") for row in BALL
          for what, group in (("speed", "qd"), ("torque", "tau"))),
        ("lower position limit", "q.slide"),
        ("upper position limit", "q.slide"),
    ]  # fmt: skip


def test_each_row_stands_in_the_tables_for_people(run):
    assert [row.name for row in joint_rows(run.run.robot)] == list(ROWS)
    table = peak_table("run", run.run.robot, run.known_values, run.units)
    assert all(f">{row}<" in table for row in ROWS)
    assert [cells[0] for cells, _ in _joints(run, None).rows] == list(ROWS)
    (tiny,) = {text.partition(": ")[2] for text in warnings(run.run)}
    assert tiny == "rated torque 1e-09 N·m is close to zero; is it a placeholder for no rating?"
