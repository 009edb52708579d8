"""What values look like in an interpreter and in a notebook."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from math import pi

import numpy as np
import pytest

import sim
from sim.comparison import find_baseline
from sim.dynamics import joint_reaction
from sim.robots import read_urdf
from sim.showing import WIDTH, html_list, one_line, shorten, span_text
from tests.helpers.short_runs import SMOOTH, arm, short_run, spoiled

URDF = """<robot name="{name}"><link name="base"/><link name="arm"><inertial><mass value="2"/>
<origin xyz="0 0 .1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{joint}" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1.5707963267948966" upper="3.141592653589793" velocity="1.0471975511965976"
 effort="12.5"/></joint>
<joint name="lift" type="prismatic"><parent link="arm"/><child link="rod"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0.25" velocity="0.5" effort="80"/></joint></robot>"""


def robot(name="crane", joint="turn"):
    return read_urdf(URDF.format(name=name, joint=joint))


class Read(HTMLParser):
    """Cells and items of a fragment of HTML, by rows; tags that are not closed are seen."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.items, self.open, self.tags, self.into = [], [], [], set(), None
        self.attributes = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "li":
            self.items.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if self.open and self.open[-1] == "li":
            self.items[-1] += data


def values():
    machine, payload = arm(), sim.Payload(2.5, (0, 0, 0.1), np.eye(3), "rod")
    motion = sim.JointMotion.displacement(SMOOTH)
    scenario = sim.Scenario(machine, motion, 0.3, events=(sim.PickUp(0.1, payload),))
    run = short_run()
    path = motion.on(machine, 0.3)
    at = path.at(np.zeros(4))
    table = run.recorded[["tau.elbow"]]
    reference = sim.Reference("x" * 300, table, 5, {"tau.*": 1.0}, "y", {"tau.*": 1.0})
    irb = sim.load_robot("irb460")
    yield from (machine, irb, irb.card, irb.loops[0], robot(), machine.joints[0], machine.links[1])
    yield from (payload, motion, scenario, path, at, run, run.run, sim.compare(run, run), reference)
    yield from (find_baseline("two_link"), find_baseline("two_link").run)
    yield joint_reaction(machine, "elbow", at.q, at.qd, at.qdd)
    yield from (sim.PointMotion({"x": "time"}), sim.PointMotion({"x": 1}, relative_to=np.eye(4)))
    yield from (
        sim.expression("STEP(time,0,0,1,1)\n + " * 40 + "0"),
        sim.spline([0, 1, 2, 3], [0] * 4),
    )
    yield from (sim.Stop(1.0), sim.JointSpring(3.0), sim.JointFriction(0.2, 0.1, inputs=()))
    yield from (sim.Force("tool", (0, "time", 1)), sim.GroundContact("tool", stiffness=1e5))
    yield from (sim.Measure("m", "elbow"), sim.Claim("t" * 300, "s", "tau.*", "peak_below", 3.0))


def test_every_value_is_one_line_of_at_most_a_hundred_characters():
    for value in values():
        assert "\n" not in repr(value), repr(value)
        assert 5 < len(repr(value)) <= WIDTH == 100, repr(value)
        assert repr(value).strip("<").startswith(type(value).__name__) or "Run" in repr(value)


@pytest.mark.parametrize("kind", ["ur10", "kr210", "irb460", "weld5"])
def test_a_long_name_makes_no_long_line(kind):
    long = replace(sim.load_robot(kind), name="x" * 500)
    assert len(repr(long)) == 100
    assert repr(long).endswith("…>")


def test_a_robot_says_its_name_joints_links_and_tool():
    assert repr(robot()) == "<Robot crane: 2 joints (turn lift), 3 links, tool rod>"
    said = repr(sim.load_robot("ur10"))
    assert said.startswith("<Robot ur10: 6 joints (shoulder_pan_joint … wrist_3_joint), ")
    assert "7 that follow, 3 loops, 13 links, tool tool0" in repr(sim.load_robot("irb460"))


def test_a_scenario_says_its_robot_motion_duration_step_and_method():
    motion = sim.JointMotion.velocity({"turn": "time"}, free=["lift"])
    assert repr(motion) == "<JointMotion: velocity of turn, lift free>"
    scenario = sim.Scenario(robot(), motion, duration=2.0, dt=0.01, method="adaptive")
    assert repr(scenario) == (
        "<Scenario of crane: velocity of turn, lift free, 2 s at 10 ms, adaptive>"
    )


def test_a_recording_says_its_scenario_verdict_size_and_duration():
    run = short_run()
    channels = len(run.recorded.columns)
    assert repr(run) == (
        f"<Recording of swing: not judged, 301 samples × {channels} channels, "
        "0.3 s at 1 ms, stepped>"
    )
    assert "fail, " in repr(run.with_description(verdict="fail"))


def test_a_comparison_says_how_near_and_where_it_parts():
    run = short_run()
    assert "same to the bit" in repr(sim.compare(run, run))
    off = sim.compare(spoiled(run, "tau.elbow", 1.0, 150), run)
    assert "differs" in repr(off) and "first beyond limit: tau.elbow at 0.15 s" in repr(off)
    shorter = replace(run, recorded=run.recorded.drop(columns="tau.elbow"))
    assert ", 1 missing, " in repr(sim.compare(shorter, run))


def test_an_expression_is_shown_by_its_text_and_a_force_element_by_what_was_given():
    assert repr(sim.expression("30d * SIN(time)")) == "<Expression 30d * SIN(time)>"
    friction = sim.JointFriction(0.2, 0.1, pin_radius=0.02)
    assert repr(friction) == "JointFriction(mu_static=0.2, mu_dynamic=0.1, pin_radius=0.02)"
    assert eval(f"sim.{friction!r}") == friction
    assert (
        repr(sim.Payload(2.0, (0, 0, 0.1))) == "<Payload: 2 kg at (0, 0, 0.1) m of the tool frame>"
    )


def test_the_table_of_a_robot_is_in_degrees_and_millimetres():
    read = Read(robot()._repr_html_())
    assert read.rows == [
        ["joint", "kind", "range", "speed", "effort"],
        ["turn", "revolute", "-90 … 180 °", "60 °/s", "12.5 N·m"],
        ["lift", "prismatic", "0 … 250 mm", "500 mm/s", "80 N"],
    ]


def test_a_joint_without_limits_has_dashes_and_a_follower_says_whom_it_follows():
    text = URDF.format(name="a", joint="turn").replace("revolute", "continuous", 1)
    text = re.sub(r'<limit lower="-1.57.*?/>', "", text, flags=re.S)
    text = text.replace('upper="0.25" ', 'upper="0.25" ').replace(
        '<joint name="lift" type="prismatic">',
        '<joint name="lift" type="prismatic"><mimic joint="turn"/>',
    )
    rows = Read(read_urdf(text)._repr_html_()).rows
    assert rows[1] == ["turn", "continuous", "–", "–", "–"]
    assert rows[2][1] == "prismatic, follows turn"


def test_the_table_of_a_run_has_its_peaks_and_what_failed():
    run = short_run()
    failing = sim.check(spoiled(run, "tau.elbow", 1.0, 150))
    judged = run.with_description(verdict="fail", checks=failing, notes=("a note",))
    read = Read(judged._repr_html_())
    assert [row[0] for row in read.rows[1:]] == ["shoulder", "elbow"]
    recorded, joint = run.recorded, arm().joint("elbow")
    torque, speed = np.abs(recorded["tau.elbow"]).max(), np.abs(recorded["qd.elbow"]).max()
    assert read.rows[2][1] == f"{torque:.4g} N·m"
    assert read.rows[2][2] == f"{100 * torque / joint.limits.effort:.0f} %"
    assert read.rows[2][3] == f"{speed * 180 / pi:.4g} °/s"
    ends = np.degrees([recorded["q.elbow"].min(), recorded["q.elbow"].max()])
    assert read.rows[2][5] == f"{ends[0]:.4g} … {ends[1]:.4g} °"
    assert any(re.match(r"failed: torque tau\.elbow at 0\.15 s", item) for item in read.items)
    assert read.items[-1] == "a note"


def test_a_run_without_a_channel_has_a_table_all_the_same():
    run = short_run()
    less = replace(run, recorded=run.recorded.drop(columns="tau.elbow"))
    assert Read(less._repr_html_()).rows[2][1:3] == ["–", "–"]


def test_the_table_of_a_comparison_begins_with_what_is_farthest_off():
    run = short_run()
    off = sim.compare(spoiled(run, "tau.elbow", 1.0, 150), run)
    read = Read(off._repr_html_())
    assert read.rows[1][0] == off.differences[0].channel == "tau.elbow"
    assert read.rows[1][1] == "1" and read.rows[1][5] == "0.15"
    assert len(read.rows) == 1 + 10
    shorter = replace(run, recorded=run.recorded.drop(columns="tau.elbow"))
    assert "only the reference has tau.elbow" in Read(sim.compare(shorter, run)._repr_html_()).items


def test_what_a_file_says_is_escaped():
    wild = robot(
        name="&lt;script&gt;alert(1)&lt;/script&gt;", joint="&lt;b&gt; &amp; &quot;x&quot;"
    )
    read = Read(wild._repr_html_())
    assert read.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert read.rows[1][0] == '<b> & "x"'
    noted = short_run().with_description(notes=("<img src=x onerror=alert(1)>",))
    assert "img" not in Read(noted._repr_html_()).tags


def test_tables_set_no_colour_so_that_they_can_be_read_on_any_page():
    run = short_run()
    for value in (robot(), run, sim.compare(run, run)):
        styles = {text for name, text in Read(value._repr_html_()).attributes if name == "style"}
        assert styles <= {"text-align:left", "text-align:right"}


def test_pieces_of_showing():
    assert one_line("A b:", "", "c\n d", "") == "<A b: c d>"
    assert shorten("abcdef", 4) == "abc…"
    assert html_list([]) == ""


def test_a_step_of_a_second_or_more_is_in_seconds():
    assert span_text(10.0, 0.001) == "10 s at 1 ms"
    assert span_text(500.0, 5.0) == "500 s at 5 s"
