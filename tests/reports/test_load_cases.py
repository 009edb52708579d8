"""Load cases against the tables, and link accelerations against Pinocchio."""

import csv
import io
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from sim.reports.load_cases import COMPONENTS, load_case_table, load_cases
from tests.helpers.page_runs import good_run


def test_each_component_is_at_its_largest_with_the_other_five_at_that_instant():
    run = good_run()
    cases = load_cases(run)
    assert [case.component for case in cases[:6]] == list(COMPONENTS)
    for case in cases:
        column = run.recorded[f"reaction.{case.joint}.{case.component}"]
        assert abs(case.wrench[COMPONENTS.index(case.component)]) == column.abs().max()
        row = run.recorded.loc[case.t]
        assert case.wrench.tolist() == [row[f"reaction.{case.joint}.{c}"] for c in COMPONENTS]


def test_accelerations_of_links_are_those_of_pinocchio():
    run = good_run()
    model = pin.buildModelFromXML(run.urdf)
    data = model.createData()
    names = list(model.names[1:])
    root = ElementTree.fromstring(run.urdf)
    for case in load_cases(run):
        row = run.recorded.loc[case.t]
        q, qd, qdd = (np.array([row[f"{g}.{name}"] for name in names]) for g in ("q", "qd", "qdd"))
        pin.forwardKinematics(model, data, q, qd, qdd)
        joint = model.getJointId(case.joint)
        v = data.v[joint]
        a = pin.getClassicalAcceleration(model, data, joint, pin.ReferenceFrame.LOCAL)
        centre = root.find(f"link[@name='{case.link}']/inertial/origin").get("xyz")
        lever = np.array(centre.split(), dtype=float)  # Pinocchio's own has what is welded on
        turn = np.cross(v.angular, np.cross(v.angular, lever))
        at_centre = a.linear + np.cross(a.angular, lever) + turn
        known = np.concatenate([at_centre, v.angular, a.angular])
        assert case.motion == pytest.approx(known, rel=1e-9, abs=1e-9)  # m/s², rad/s, rad/s²


def test_the_table_is_csv_with_units():
    cases = load_cases(good_run())
    head, *rows = csv.reader(io.StringIO(load_case_table(cases)))
    assert head[:4] == ["joint", "largest", "t [s]", "fx [N]"]
    assert head[-1] == "alz [rad/s^2]"
    assert len(rows) == len(cases)
    assert float(rows[0][3]) == pytest.approx(cases[0].wrench[0], rel=1e-8)


def test_a_run_without_its_robot_has_none():
    assert load_cases(good_run().having(urdf=None)) == []
