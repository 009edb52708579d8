"""The table of readings of MJCF beside the programs themselves, and torques that they lack."""

import json
import re

import numpy as np
import pytest

import sim
from sim.audit import audit
from sim.audit.mjcf_readings import mjcf_readings
from sim.audit.reading_facts import MJCF_FEATURES
from tests.audit.lacking_laws import require_lacking
from tools.readings.mjcf_readers import READERS
from tools.readings.mjcf_words import mjcf_word
from tools.readings.planted_mjcf import FILES, PLANTED

KEYS = tuple(MJCF_FEATURES)
INSTALLED = ("PyBullet", "MuJoCo", "Pinocchio")


@pytest.fixture
def plant(tmp_path):
    def planted(text):
        for name, content in FILES.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
        file = tmp_path / "arm.xml"
        file.write_text(text, encoding="utf-8")
        return file

    return planted


@pytest.mark.parametrize("key", KEYS)
def test_programs_read_each_feature_of_mjcf_as_the_table_has_it(key):
    """Drake and Newton are held by ``make readings``."""
    for program in INSTALLED:
        now = mjcf_word(key, READERS[program](PLANTED[key]))
        assert now == MJCF_FEATURES[key].by_program[program], program


def test_each_feature_of_mjcf_is_recognised_and_no_other(plant):
    together = {
        "damping-powers": {"damping"},
    }
    assert PLANTED.keys() == MJCF_FEATURES.keys()
    for key in KEYS:
        file = plant(PLANTED[key])
        read = mjcf_readings(file, sim.load_robot(file), None, PLANTED[key])
        assert {one.feature.key for one in read} == {key, *together.get(key, ())}, key


@pytest.mark.parametrize(
    ("key", "torque"),
    [
        ("armature", lambda q, v, a: 0.5 * a),
        ("damping", lambda q, v, a: 0.5 * v),
        ("damping-powers", lambda q, v, a: (0.5 + 0.25 * np.abs(v)) * v),
        ("frictionloss", lambda q, v, a: 0.25 * np.sign(v)),
        ("spring", lambda q, v, a: 10 * (q - 0.1)),
        ("gravcomp", lambda q, v, a: 1.962 * np.cos(q)),
    ],
)
def test_a_law_that_a_program_lacks_is_its_torque_in_closed_form(plant, key, torque):
    reading = require_lacking(audit(plant(PLANTED[key])), key, torque)
    assert "MuJoCo" not in reading.differences


def rod(mass, q, a, moment=0.03):
    """Torque of a hinge about Y that carries a mass at 0.2 m along X."""
    return (moment + 0.04 * mass) * a - 9.81 * 0.2 * mass * np.cos(q)


def less_at_origin(q, a):
    """Torque of a ball of 3 kg and 0.1 m, less that of one of 1000 kg/m³ at the origin.

    PyBullet takes the tensor of the box about a shape that is off the origin.
    """
    return rod(3, q[0], a[0], 0.012) - 4000 / 3 * np.pi * 1e-3 * 0.08 / 12 * a[0]


@pytest.mark.parametrize(
    ("key", "program", "joint", "torque"),
    [
        ("geom-mass", "PyBullet", "hinge", less_at_origin),
        ("default-mass", "PyBullet", "hinge", less_at_origin),
        ("several-trees", "Pinocchio", "second", lambda q, a: rod(1, q[1], a[1])),
        ("total-mass", "Pinocchio", "hinge", lambda q, a: 9 * rod(1, q[0], a[0])),
        ("mesh-mass", "PyBullet", "hinge", lambda q, a: rod(3, q[0], a[0], 0.02)),
    ],
)
def test_masses_that_a_program_reads_otherwise_are_a_torque_in_closed_form(
    plant, key, program, joint, torque
):
    checked = audit(plant(PLANTED[key]))
    (reading,) = (one for one in checked.readings if one.feature.key == key)
    states = checked.torques.states
    lacking = reading.differences[program]
    expected = np.abs(torque(states.q, states.qdd)).max()
    assert lacking.size == pytest.approx(expected, rel=1e-7)  # a mesh has single precision
    assert (lacking.unit, lacking.joint) == ("N·m", joint)


def inlined(key, text):
    """The file without an element that Pinocchio leaves out."""
    if key == "include":
        return text.replace(
            '<include file="tip.xml"/>', re.sub("</?mujocoinclude>", "", FILES["tip.xml"])
        )
    text = re.sub(f"</?{key}[^>]*>", "", text)
    return text.replace('pos="0.4 0 0"', 'pos="0.4 0 0.1"') if key == "frame" else text


@pytest.mark.parametrize("key", ["frame", "replicate", "include"])
def test_bodies_that_a_program_leaves_out_are_a_torque(plant, key):
    """Pinocchio's own torques of the file, and of one that has them inline."""
    pin = pytest.importorskip("pinocchio")
    text = PLANTED[key]
    checked = audit(plant(text))
    (reading,) = (one for one in checked.readings if one.feature.key == key)
    whole = inlined(key, text)
    states, worst = checked.torques.states, np.zeros(2)
    models = [pin.buildModelFromMJCF(str(plant(one))) for one in (text, whole)]
    assert [model.nv for model in models] == [1, 2]
    for k in range(states.q.shape[1]):
        q, v, a = (x[:, k] for x in (states.q, states.qd, states.qdd))
        one, both = (pin.rnea(m, m.createData(), *(x[: m.nv] for x in (q, v, a))) for m in models)
        worst = np.maximum(worst, np.abs(both - [one[0], 0.0]))
    assert reading.differences["Pinocchio"].size == pytest.approx(worst.max(), rel=1e-12)
    assert "MuJoCo" not in reading.differences


def test_the_audit_of_a_file_shows_readings_and_no_rating_that_it_does_not_state(
    plant, sim_command
):
    file = plant(PLANTED["ref"])
    shown = sim_command("audit", str(file))
    words = " ".join(shown.out.split())
    assert "ref of a joint: hinge" in words and "roboticstoolbox" not in words
    document = json.loads(sim_command("audit", str(file), "--json").out)
    assert [one["feature"] for one in document["readings"]] == ["ref"]
    assert not [one for one in document["findings"] if one["code"] == "zero-limit"]
