"""The script of a setup: exact both ways, never executed, never overwritten by mistake."""

import ast

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sim
from sim.scenario import load_script
from sim.shipped import robot_names, scenarios
from sim.simulation import build_problem
from sim.studio import Drive, Setup, Table, read_script, write_script
from sim.studio.folder import Folder
from sim.studio.parameters import numbers_of
from sim.studio.preview import scenario_of
from sim.studio.setup import Floor, Points, Spring
from tests.helpers.random_robots import random_urdf

STEP = "STEP(time,0,0,1,40d)"
CALLS = {"load_robot", "mounted", "with_payload", "with_friction", "items", "JointFriction", "pose",
         "displacement", "velocity", "acceleration", "torque", "JointMotion", "PointMotion",
         "spline", "Scenario", "main", "DriveTrain", "with_drives", "Spring", "Marker",
         "ContactShape", "ContactLaw", "Contact", "plane", "impact", "sphere", None}  # fmt: skip

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
finite = st.floats(allow_nan=False, allow_infinity=False)
per_joint = st.dictionaries(words, finite, max_size=3)
levels = st.sampled_from(["displacement", "velocity", "acceleration", "torque"])
drives = st.builds(Drive, levels, words) | st.builds(Drive, st.just("free"))
components = st.sampled_from(["x", "y", "z", "b1", "b2", "b3"])
vectors = st.tuples(finite, finite, finite)
on_link = st.tuples(words, vectors)
springs = st.lists(st.builds(Spring, words, on_link, on_link, finite, finite, finite), max_size=2)
spheres = st.lists(st.tuples(words, vectors, finite), min_size=1, max_size=2)
floors = st.none() | st.builds(Floor, spheres, finite, finite, finite, finite)
trains = st.dictionaries(words, st.dictionaries(words, finite, max_size=3), max_size=2)
tables = st.lists(finite, min_size=1, max_size=4)


@st.composite
def setups(draw):
    moved = draw(st.dictionaries(words, drives, max_size=5))
    columns = draw(st.dictionaries(words.filter(lambda w: w not in moved), tables, max_size=2))
    table = None
    if columns:
        table = Table(draw(st.sampled_from(["displacement", "velocity"])), draw(tables), columns)
    positions = draw(per_joint)
    if draw(st.booleans()):
        moved, columns, table = {}, {}, None
        path = draw(st.none() | st.dictionaries(components, words, max_size=3))
        by_name = st.dictionaries(components, tables, min_size=1, max_size=2)
        points = draw(st.none() | st.builds(Points, tables, by_name))
    else:
        path = points = None
    return Setup(
        draw(words),
        tool=draw(words),
        drives={**moved, **{name: Drive("table") for name in columns}},
        table=table,
        path=path,
        points=points,
        start="zero" if positions else draw(words),
        positions=positions,
        mount=draw(st.sampled_from(["floor", "wall", "ceiling"])),
        payload=draw(finite),
        com=draw(st.tuples(finite, finite, finite)),
        friction=draw(per_joint),
        drive_trains=draw(trains),
        springs=draw(springs),
        floor=draw(floors),
        gravity=draw(vectors),
        duration=draw(finite),
        dt=draw(finite),
        method=draw(st.sampled_from(["stepped", "ideal", "adaptive"])),
        engine=draw(st.sampled_from([None, "bullet", "mujoco"])),
    )


@st.composite
def varied_setups(draw):
    setup = draw(setups())
    names = list(numbers_of(setup))
    varied = draw(st.lists(st.sampled_from(names), max_size=4, unique=True))
    return msgspec.structs.replace(setup, varied=varied)


def test_braces_beside_a_parameter_stay_text():
    text = write_script(Setup("a", drives={"j": Drive("velocity", "{1}*{exit}")}, varied=["j_1"]))
    assert 'f"{{{j_1}}}*{{exit}}"' in text
    assert read_script(text).setup.drives["j"].text == "{1.0}*{exit}"


def test_a_case_of_a_study_is_the_run_with_the_number_typed(tmp_path):
    text = "STEP(time, 0, 0, 1.5, 40d)"
    setup = Setup(
        "ur10",
        drives={"elbow_joint": Drive("velocity", text)},
        friction={"wrist_1_joint": 2.0},
        springs=[Spring("s", ("base_link", (0.0,) * 3), ("tool0", (0.0,) * 3), 100.0)],
        varied=["elbow_joint_4", "friction_wrist_1_joint", "s_stiffness"],
    )
    (tmp_path / "one.py").write_text(write_script(setup), "utf-8")
    values = {"elbow_joint_4": 20.0, "friction_wrist_1_joint": 3.0, "s_stiffness": 50.0}
    case, _ = load_script(str(tmp_path / "one.py")).build(values)
    typed = msgspec.structs.replace(
        setup,
        drives={"elbow_joint": Drive("velocity", text.replace("40d", "20d"))},
        friction={"wrist_1_joint": 3.0},
    )
    wanted = scenario_of(Folder(tmp_path), typed)
    motions = [build_problem(one).prescribed_motion(one.times) for one in (case, wanted)]
    np.testing.assert_array_equal(motions[0].qd, motions[1].qd)
    assert [one.stiffness for one in case.forces] == [50.0]
    laws = [[joint.friction_law for joint in one.robot.joints] for one in (case, wanted)]
    assert laws[0] == laws[1]


@given(varied_setups())
def test_what_is_written_is_read_and_no_string_becomes_code(setup):
    text = write_script(setup)
    opened = read_script(text)
    assert opened.owner == "forms"
    assert write_script(opened.setup) == text
    assert opened.setup == setup or setup.varied  # whose literals are written anew
    assert list(opened.parameters) == ["payload", "duration", *setup.varied]
    calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    assert {getattr(one, "attr", None) for one in calls} <= CALLS


MODELS = (*robot_names(), *(f"robots/random{seed}.urdf" for seed in range(3)))


def setup_of(name, folder):
    """A setup of a shipped robot, or of a random one in the folder."""
    if "/" in name:
        (folder / "robots").mkdir()
        text = random_urdf(np.random.default_rng(int(name[-6])), 4, branching=False)
        (folder / name).write_text(text, "utf-8")
    robot = sim.load_robot(folder / name if "/" in name else name)
    passive = {one for loop in robot.loops for one in loop.passive}
    moved = [one for one in robot.joint_names if one not in passive]
    return Setup(
        name,
        drives={moved[0]: Drive("velocity", STEP)},
        friction={moved[-1]: 2.5},
        positions={moved[0]: 0.1},
        payload=1.5 if robot.tool else 0.0,
        com=(0.01, 0.0, 0.1),
        mount="wall",
        duration=1.0,
    )


@pytest.mark.rotates(5)
@pytest.mark.parametrize("name", MODELS)
def test_ten_models_have_the_scenario_of_their_script(name, tmp_path):
    """The preview's scenario and the script's are the same problem, bit by bit."""
    setup = setup_of(name, tmp_path)
    path = tmp_path / "one.py"
    path.write_text(write_script(setup), "utf-8")
    assert read_script(path.read_text("utf-8")).setup == setup
    script, _ = load_script(str(path)).build({})
    shown = scenario_of(Folder(tmp_path), setup)
    assert script.robot.text == shown.robot.text
    laws = [[joint.friction_law for joint in one.robot.joints] for one in (script, shown)]
    assert laws[0] == laws[1] != [None] * len(laws[0])
    motions = [build_problem(one).prescribed_motion(shown.times) for one in (script, shown)]
    for one in ("q", "qd", "qdd"):
        np.testing.assert_array_equal(*(getattr(motion, one) for motion in motions))


WRITTEN = write_script(Setup("ur10", drives={"elbow_joint": Drive("velocity", STEP)}, payload=7.0))


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        (WRITTEN.replace("7.0", "7"), "forms"),
        (WRITTEN.replace("\n", "\r\n"), "forms"),
        ("\ufeff" + WRITTEN, "forms"),
        (WRITTEN.replace("import sim", "import sim  # mine"), "noted"),
        (WRITTEN.replace("mass=payload, com", "mass=payload,com"), "forms"),
        (WRITTEN.replace('"ur10")', '"ur10",)'), "noted"),
        (WRITTEN.replace("duration, dt", "2 * duration, dt"), "hand"),
        (WRITTEN.replace("import sim", "import sim\nprint('run')"), "hand"),
        (WRITTEN + "\nimport os\n", "hand"),
        (WRITTEN.replace(STEP, STEP + "' + str(1) + '"), "forms"),  # a string as any other
        (WRITTEN.replace("def scenario", "def other"), "hand"),
        ("VELOCITY = [1]\n", "hand"),
        ("def scenario(", "hand"),
        ("(" * 5000, "hand"),
        ("\0", "hand"),
    ],
)
def test_whose_a_script_is(text, owner):
    assert read_script(text).owner == owner


def test_every_shipped_scenario_is_a_person_s_and_shows_its_parameters():
    for path in scenarios().glob("*.py"):
        opened = read_script(path.read_text("utf-8"))
        assert opened.owner == "hand", path
    opened = read_script((scenarios() / "ur10_step.py").read_text("utf-8"))
    assert opened.parameters == {"payload": 10.0, "start": "upright"}


def test_a_setup_of_json_is_strict():
    for wrong in ('{"robot": 3}', '{"robot": "a", "x": 1}', '{"robot": "a", "method": "fast"}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(wrong, type=Setup)
