"""The window in a real Chromium, by clicks and keys alone."""

import contextlib
import functools
import http.server
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sim
from sim.maths import rpy_from_rotation
from sim.recording import Recording
from sim.shipped import scenarios
from tests.helpers.cad_units import TURNED, in_cad_units
from tests.helpers.studio_process import StudioProcess

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # s
DRIVES = re.findall(r'"\w+": "(STEP[^"]+)"', (scenarios() / "ur10_step.py").read_text("utf-8"))
PEAKS = ["40.07", "241.6", "112.3", "21.91", "20.88", "0.001933"]  # N·m, of `make demo`
# The second of another frame, the third of what the server is meant to refuse.
HARMLESS = ("GL Driver Message", "Blocked autofocusing", "Failed to load resource")


class Person:
    """Clicks and types, and counts it; sees what is on the screen."""

    def __init__(self, browser, address):
        self.context = browser.new_context(
            viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
        )
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page, self.errors, self.actions = self.context.new_page(), [], 0
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.goto(address)
        self.sees("body[data-ready]")

    def _note(self, message):
        harmless = any(words in message.text for words in HARMLESS)
        if message.type in ("error", "warning") and not harmless:
            self.errors.append(message.text)

    def sees(self, selector):
        self.page.wait_for_selector(selector, state="attached", timeout=1000 * PATIENCE)

    def js(self, text):
        return self.page.evaluate(text)

    def reads(self, selector):
        return self.page.locator(selector).inner_text()

    def until(self, test):
        end = time.monotonic() + PATIENCE
        while not (value := test()):
            assert time.monotonic() < end, (self.reads("#message"), self.errors)
            self.page.wait_for_timeout(30)
        return value

    def clicks(self, selector):
        self.actions += 1
        self.page.locator(selector).click()

    def types(self, selector, text):
        self.actions += 1
        self.page.locator(selector).fill(text)

    def chooses(self, selector, option):
        self.actions += 1
        self.page.locator(selector).select_option(option)

    def pastes(self, text):
        self.actions += 1
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+V")

    def drops(self, path):
        """A file or a folder on the view."""
        self.actions += 1
        session = self.context.new_cdp_session(self.page)
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            event = {"type": kind, "x": 300, "y": 300, "data": data}
            session.send("Input.dispatchDragEvent", event)

    def peaks(self):
        cells = self.page.locator("#drives td.n").all_inner_texts()
        return [cell.split()[0] for cell in cells if cell]

    def runs(self):
        before = self.page.locator("#page").get_attribute("src")
        self.clicks("#run")
        self.until(lambda: self.page.locator("#page").get_attribute("src") != before)
        return self.reads("#result-verdict")

    def close(self):
        self.context.close()
        assert self.errors == []


@pytest.fixture
def folder(tmp_path):
    with StudioProcess(tmp_path / "empty") as server:
        yield server


@pytest.fixture
def person(flat_browser, folder):
    made = Person(flat_browser, folder.address)
    yield made
    made.close()


def field(joint_name):
    return f'[aria-label="function of {joint_name}"]'


def demo(person):
    """The drives of `make demo` on the shipped UR10."""
    person.chooses("#robot", "ur10")
    person.sees("body[data-previews]")
    person.types("#payload", "10")
    person.types("#cz", "100")
    person.chooses("#start", "upright")
    person.clicks("#tab-motion")
    person.chooses("#allkinds", "velocity")
    person.clicks(field("shoulder_pan_joint"))
    person.pastes("\n".join(DRIVES))


def test_from_an_empty_folder_to_the_verdict_of_the_demo(person, folder):
    demo(person)
    person.until(lambda: person.peaks() == PEAKS)  # before anything is run
    assert person.runs() == "pass, 242 checks"
    assert person.actions <= 12
    inside = person.page.frame_locator("#page")
    assert "run1" in inside.locator("h1").inner_text()
    for peak in PEAKS:
        assert inside.get_by_text(f"{peak} N·m").first.is_visible()
    (run,) = (folder.folder / "results/runs/run1").iterdir()
    done = subprocess.run(
        [sys.executable, "-m", "sim", "run", "run1.py", "--no-report", "--out", "terminal"],
        cwd=folder.folder, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for table in ("recording", "analytic", "cut_open"):
        name = f"{table}.parquet"
        assert (run / name).read_bytes() == (folder.folder / "terminal" / name).read_bytes()
    person.clicks("#tab-script")
    person.until(lambda: '"shoulder_pan_joint": "STEP(' in person.reads("#text"))
    assert person.reads("#text").strip() == (folder.folder / "run1.py").read_text().strip()


def moved(person, robot="ur10"):
    """A short motion of one joint."""
    person.chooses("#robot", robot)
    person.sees('[aria-label^="start of elbow_joint"]')
    person.clicks("#tab-motion")
    person.types("#duration", "0.1")
    person.chooses('[aria-label="motion of elbow_joint"]', "velocity")
    person.types(field("elbow_joint"), "STEP(time,0,0,0.1,1d)")
    person.until(lambda: person.reads("#saved") == "saved")


def says(person, words):
    person.until(lambda: words in person.reads("#message"))


def a_dropped_robot_is_audited_corrected_and_run(person, server, tmp_path):
    (tmp_path / "pkg/urdf").mkdir(parents=True)
    (tmp_path / "pkg/package.xml").write_text("<package><name>pkg</name></package>")
    (tmp_path / "pkg/urdf/cad.urdf").write_text(in_cad_units(TURNED), "utf-8")
    person.drops(tmp_path / "pkg")
    person.until(lambda: "error" in person.reads("#audit-sum"))
    assert "millimetres and degrees" in person.reads("#audit table")
    assert person.reads("#audit-command") == "sim audit robots/pkg/urdf/cad.urdf --meshes-below ."
    person.clicks("#audit-fix")
    says(person, "robots/pkg/urdf/cad_fixed.urdf is written")
    assert "error" not in person.reads("#audit-sum")
    assert person.page.locator("#robot").input_value() == "robots/pkg/urdf/cad_fixed.urdf"
    assert "±150 °" in person.reads("#joints")
    person.clicks("#tab-motion")
    person.types("#duration", "0.1")
    assert person.runs().startswith("pass")


def a_robot_that_cannot_be_read_is_explained_and_a_mesh_elsewhere_is_not_read(person, server, path):
    for name, text, words in (
        ("torn.urdf", "<robot><link></robot>", "not an XML document"),
        ("arm.adm", "PART/1\nEND", "no PART that is GROUND"),
        ("notes.txt", "", "no robot file"),
        ("large.stl", " " * 30_000_001, "has 30 MB; at most 30 MB are taken"),
        ("m.xml", '<mujoco><include file="/etc/passwd"/></mujoco>', "leads out of the folder"),
    ):
        (path / name).write_text(text, "utf-8")
        person.page.locator("#file").set_input_files(path / name)
        says(person, words)
        assert person.page.locator("#run").is_disabled()
    for k, mesh in enumerate(("/etc/passwd", "/none/x.stl", "../../x.stl")):  # there or not
        shape = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual></link>'
        (path / f"spy{k}.urdf").write_text(TURNED.replace("</link>", shape, 1), "utf-8")
        person.page.locator("#file").set_input_files(path / f"spy{k}.urdf")
        chosen = person.page.locator("#robot")
        person.until(lambda k=k, chosen=chosen: chosen.input_value() == f"robots/spy{k}.urdf")
        person.until(lambda mesh=mesh: mesh in person.reads("#shapes"))
        assert "outside" in person.reads("#shapes")
    shape = '<visual><geometry><mesh filename="lost.stl"/></geometry></visual></link>'
    (path / "bare.urdf").write_text(TURNED.replace("</link>", shape, 1), "utf-8")
    person.page.locator("#file").set_input_files(path / "bare.urdf")
    person.until(lambda: "'lost.stl' does not exist; its other" in person.reads("#shapes"))
    person.clicks("#tab-motion")
    person.types("#duration", "0.1")
    assert person.runs().startswith("pass")


def a_dropped_deck_is_run_as_it_stands_and_a_template_with_its_arguments(person, server, path):
    (path / "Arm 1.adm").write_text(shaft_with_spring(), "utf-8")
    person.page.locator("#file").set_input_files(path / "Arm 1.adm")
    person.until(lambda: person.page.locator("#robot").input_value() == "decks/arm_1.adm")
    person.until(lambda: "forces (1)" in person.reads("#deck"))
    assert person.page.locator("#payload").is_disabled()
    person.clicks("#tab-motion")
    assert person.page.locator(field("JOINT_1")).input_value() == "STEP5(TIME, 0, 0, 1, 90D)"
    person.types("#duration", "0.1")
    assert person.runs().startswith("pass")
    assert person.reads("#result-command") == (
        "sim run decks/arm_1.adm --set duration=0.1 --set dt=0.01"
    )
    person.clicks("#tab-script")
    person.until(lambda: "sim.SForce(" in person.reads("#text"))
    xacro = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" '
    argument = '<xacro:arg name="end" default="tip"/></robot>'
    template = TURNED.replace("<robot ", xacro, 1).replace('"tip"/>', '"$(arg end)"/>')
    template = template.replace("</robot>", argument)
    (path / "arm.urdf.xacro").write_text(template, "utf-8")
    person.page.locator("#file").set_input_files(path / "arm.urdf.xacro")
    person.types('[aria-label="argument end"]', "mine")
    person.clicks("#dialog [value=yes]")
    person.until(lambda: person.page.locator("#robot").input_value() == "robots/arm.urdf")
    assert '<link name="mine"/>' in (server.folder / "robots/arm.urdf").read_text()


def the_angles_of_the_tool_are_those_of_its_frame_where_two_turn_about_one_axis(person):
    """In the home pose of the KR 210, whose second angle is 90°; SciPy composes the angles."""
    person.chooses("#robot", "kr210")
    angles = person.until(
        lambda: re.findall(r"angles (\S+) +(90) +(\S+) °", person.reads("#tool-place"))
    )
    R = Rotation.from_euler("XYZ", np.array(angles[0], float), degrees=True).as_matrix()
    robot = sim.load_robot("kr210")
    np.testing.assert_allclose(R, sim.frame_pose(robot, robot.pose("home"))[:3, :3], atol=1e-3)


def a_line_and_taught_points_are_paths_of_the_tool(person, server, _):
    the_angles_of_the_tool_are_those_of_its_frame_where_two_turn_about_one_axis(person)
    person.chooses("#robot", "ur10")
    person.sees("body[data-previews]")
    person.types('[aria-label^="start of elbow_joint ["]', "90")
    person.types('[aria-label^="start of wrist_2_joint ["]', "90")
    robot = sim.load_robot("ur10")
    q = robot.pose("home")
    q = [*q[:2], np.pi / 2, q[3], np.pi / 2, q[5]]
    place = 1000 * sim.frame_pose(robot, q)[:3, 3]  # mm
    person.until(lambda: f" {place[2]:.4g} mm" in person.reads("#tool-place"))
    person.clicks("#teach-point")
    person.clicks("#tab-motion")
    person.chooses("#moved", "tool")
    axis = person.page.locator("#path-rows input").nth
    person.until(lambda: abs(float(axis(2).input_value() or 0) - place[2] / 1000) < 2e-6)
    person.clicks("#path-new-line")
    person.types('[aria-label="to y"]', f"{place[1] + 1:.6f}")
    person.types('[aria-label="time [s]"]', "0.1")
    person.clicks("#dialog [value=yes]")
    person.until(lambda: "STEP5(time, 0.0, 0, 0.1, " in axis(1).input_value())
    person.until(lambda: person.peaks() and person.peaks()[0] != "0")
    axis(1).fill("-0.25 + STEP5(time, 0, 0")
    person.until(lambda: "^" in person.reads("#path-rows > div:nth-child(2) .why"))
    axis(1).fill(f"{place[1] / 1000:.6f} + STEP5(time, 0, 0, 0.1, 1e-3)")
    assert person.runs().startswith("pass")
    text = (server.folder / "run1.py").read_text()
    assert "sim.PointMotion(PATH, start=START)" in text
    person.clicks("#tab-motion")
    person.clicks("#path-new-points")
    typed = person.page.locator("[aria-label=points]")
    first = typed.input_value().split()
    np.testing.assert_allclose(np.array(first[:3], float), place, atol=2e-3)
    typed.fill("\n".join(f"{t} {first[0]} {place[1] + t * t} {first[2]}" for t in range(4)))
    person.clicks("#dialog [value=yes]")
    person.until(lambda: "POINTS" in (server.folder / "run1.py").read_text())
    person.chooses("#open", "run1")
    person.until(lambda: person.page.locator("#undo").is_disabled())
    assert axis(0).get_attribute("placeholder") == "through 4 points"
    person.chooses("#moved", "joints")
    person.until(lambda: "PointMotion" not in (server.folder / "run1.py").read_text())


def studies_show_their_command_and_their_page_and_can_be_stopped(person, server, _):
    assert person.page.locator("#motion").evaluate("one => one.inert")  # without a robot
    moved(person)
    person.clicks("#tab-studies")
    person.types("#study-response", "peak tau.elbow_joint")
    person.types('[aria-label="payload values"]', "3")
    person.chooses("#vary-more", "elbow_joint_4")
    person.until(lambda: "elbow_joint_4=0.5:2.0:5" in person.reads("#study-command"))
    person.until(lambda: "elbow_joint_4: float = 1.0" in (server.folder / "run1.py").read_text())
    person.clicks('[aria-label="vary elbow_joint_4"]')
    command = "sim sweep run1.py --vary=payload=0.0:10.0:3 '--response=peak tau.elbow_joint'"
    person.until(lambda: person.reads("#study-command") == command)
    person.clicks("#study-go")
    person.until(lambda: person.reads("#result-name") == "run1 pass 3 of 3 cases pass")
    assert person.reads("#result-command") == command
    inside = person.page.frame_locator("#page")
    person.until(lambda: "payload from 0 to 10" in inside.locator("body").inner_text())
    peaks = [float(x) for x in re.findall(r"([0-9.]+) N·m", person.reads("#study-text"))]
    person.clicks("#tab-motion")
    for payload, peak in zip(("0", "10"), peaks, strict=True):
        person.clicks("#tab-model")
        person.types("#payload", payload)
        person.clicks("#tab-motion")
        person.until(lambda peak=peak: abs(float(person.peaks()[2]) / peak - 1) < 1e-3)
    person.clicks("#tab-studies")
    person.chooses("#study-kind", "largest")
    person.types('[aria-label="payload to"]', "40")
    person.clicks("#study-go")
    person.until(lambda: "largest payload with margin >= 0" in person.reads("#result-name"))
    person.clicks("#tab-studies")
    person.chooses("#study-kind", "sweep")
    person.types('[aria-label="payload values"]', "1000")
    person.clicks("#study-go")
    person.until(lambda: re.match(r"case [1-9]\d* of 1000", person.reads("#phase")))
    person.page.keyboard.press("Escape")
    says(person, "finished cases are kept")
    person.clicks("#tab-motion")
    person.clicks("#tab-studies")
    person.until(lambda: "--resume results/studies/run1-" in person.reads("#study-rows"))


def springs_contacts_and_drive_trains_are_listed_and_come_back(person, server, _):
    moved(person)
    person.clicks("#tab-model")
    person.clicks("#add-spring")
    for end, link in (("from", "base_link"), ("to", "forearm_link")):
        person.chooses(f'[aria-label="{end} link"]', link)
        person.types(f'[aria-label="{end} z"]', "100")
    person.clicks("#dialog [value=yes]")
    person.clicks("#add-train")
    person.chooses("[aria-label=joint]", "elbow_joint")
    person.chooses("[aria-label=gear]", "wave 17/50")
    person.clicks("#dialog [value=yes]")
    person.types("#gz", "-1.62")
    text = (server.folder / "run1.py").read_text
    person.until(lambda: "gravity=(0.0, 0.0, -1.62)" in text())
    assert '("forearm_link", (0.0, 0.0, 0.1))' in text()
    assert '"ratio": 50.0' in text()
    person.clicks("#add-sphere")  # without a view both are typed
    person.chooses('[aria-label="middle link"]', "wrist_3_link")
    person.clicks("#dialog [value=yes]")
    person.until(lambda: "SPHERES" in text())
    assert 'method="adaptive"' in text()
    other = Person(person.context.browser, server.address)
    other.chooses("#open", "run1")
    other.until(lambda: other.page.locator("#force-rows li").count() == 3)
    assert other.page.locator("#gz").input_value() == "-1.62"
    assert other.runs()
    other.clicks("#tab-model")
    other.page.get_by_role("button", name=re.compile("^remove spring1")).click()
    other.until(lambda: "SPRINGS" not in text())
    other.close()


def shaft_with_spring():
    """The deck of docs/howto/decks.md without its names."""
    text = (ROOT / "docs/howto/decks.md").read_text("utf-8")
    deck = text.split(":caption: arm.adm\n")[1].split("```")[0].strip()
    return "".join(line for line in deck.splitlines(keepends=True) if "adams_view" not in line)


def an_error_has_its_place_and_what_was_drawn_stays(person, server, _):
    moved(person)
    before, text = person.peaks(), (server.folder / "run1.py").read_text()
    person.types(field("elbow_joint"), "STEP(time,0,0,0.1,1d)+")
    why = "#drives tr:nth-child(3) .why"
    person.until(lambda: "nothing follows '+'" in person.reads(why))
    assert person.reads(f"{why} code").splitlines() == ["STEP(time,0,0,0.1,1d)+", f"{' ' * 21}^"]
    assert person.peaks() == before
    person.clicks("#run")
    says(person, "nothing follows '+'")
    assert (server.folder / "run1.py").read_text() == text
    assert server.ask("GET", "run")[1]["state"] == "idle"
    person.types(field("elbow_joint"), "STEP(time,0,0,0.1,40)")
    person.until(lambda: "40d" in person.reads(why))  # a warning
    person.until(lambda: person.reads("#saved") == "saved")
    value = person.page.locator(field("elbow_joint")).input_value
    for button, is_back in (("#undo", False), ("#redo", True)):
        person.clicks(button)
        person.until(lambda back=is_back: value().endswith("40)") is back)


def what_is_changed_and_run_again_lies_over_the_first(person, server, _):
    moved(person)
    assert person.runs().startswith("pass")
    person.clicks("#tab-model")
    person.types("#payload", "5")
    assert person.runs().startswith("pass")
    person.until(lambda: "largest change of a peak" in person.reads("#result-peaks"))
    person.clicks("#commands")
    assert "sim export results/runs/run1/" in person.reads("#dialog")
    person.page.keyboard.press("Escape")
    person.clicks("#limits")
    person.until(lambda: "times as fast" in person.reads("#dialog"))
    person.page.keyboard.press("Escape")
    person.chooses("#export", "adm")
    says(person, ".adm is written")
    (deck,) = (server.folder / "exports").iterdir()
    assert "A model of a run, for ADAMS" in deck.read_text()
    person.clicks("#with-previous")
    person.until(lambda: "sim report results/runs/run1/" in person.reads("#result-command"))
    assert "elbow_joint" in person.reads("#result-peaks")
    legend = person.page.frame_locator("#page").locator("body")
    assert "payload = 5" in legend.inner_text()
    person.clicks("#tab-runs")
    person.until(lambda: person.page.locator("#run-rows tbody tr").count() == 2)
    person.page.get_by_role("button", name=re.compile("^accept run1")).first.click()
    person.types("#dialog textarea", "first result")
    person.clicks("#dialog [value=yes]")
    says(person, "Accepted: sim accept results/runs/run1/")
    assert (server.folder / "results/baselines/run1/baseline.json").is_file()
    for answer, count in (("Keep", 2), ("Delete", 1)):
        person.page.get_by_role("button", name=re.compile("^delete run1")).last.click()
        person.page.get_by_role("button", name=answer, exact=True).click()
        rows = person.page.locator("#run-rows tbody tr")
        person.until(lambda rows=rows, count=count: rows.count() == count)
    (kept,) = (server.folder / ".studio_trash/results/runs/run1").iterdir()
    assert (kept / "recording.parquet").is_file()


def a_table_and_sliders_come_back_with_their_script(person, server, _):
    moved(person)
    person.clicks(field("elbow_joint"))
    rows = [f"{k / 100}\t{k * k / 100}\t{k / 10}" for k in range(11)]
    person.pastes("\n".join(["t\telbow_joint\twrist_1_joint", *rows]))
    person.clicks("#dialog [value=yes]")
    person.clicks("#tab-model")
    person.types('[aria-label^="start of wrist_3_joint ["]', "12.5")
    person.types('[aria-label="dry friction of elbow_joint"]', "2")
    person.chooses("#mount", "ceiling")
    person.until(lambda: "START" in (server.folder / "run1.py").read_text())
    person.until(lambda: "rpy" in (server.folder / "run1.py").read_text())
    other = Person(person.context.browser, server.address)
    other.chooses("#open", "run1")
    other.until(lambda: other.page.locator("#mount").input_value() == "ceiling")
    assert other.page.locator("#start").input_value() == "sliders"
    friction = other.page.locator('[aria-label="dry friction of elbow_joint"]')
    assert friction.input_value() == "2"
    other.clicks("#tab-motion")
    kinds = other.page.locator("#drives tbody select")
    assert [kinds.nth(k).input_value() for k in (2, 3)] == ["table", "table"]
    other.chooses("#units", "°, mm, N·mm")
    other.until(lambda: "N·mm" in other.reads("#drives"))
    other.clicks("#tab-model")
    assert friction.input_value() == "2000"
    other.close()


def two_windows_lose_nothing_and_a_person_s_script_is_not_touched(person, server, _):
    moved(person)
    other = Person(person.context.browser, server.address)
    other.chooses("#open", "run1")
    other.until(lambda: other.page.locator("#joints tbody tr").count() == 6)
    other.types("#payload", "3")
    other.until(lambda: other.reads("#saved") == "saved")
    person.types(field("elbow_joint"), "2d")
    says(person, "with other content")
    assert "payload: float = 3.0" in (server.folder / "run1.py").read_text()
    person.page.get_by_role("button", name="save under another name").click()
    person.until((server.folder / "run2.py").is_file)
    text = (server.folder / "run2.py").read_text() + "print('mine')\n"
    (server.folder / "mine.py").write_text(text)
    other.page.reload()
    other.sees("body[data-ready]")
    other.chooses("#open", "mine")
    other.until(lambda: "changed beyond the forms" in other.reads("#owner"))
    assert "payload = 0, duration = 0.1" in other.reads("#owner")
    other.page.wait_for_timeout(1000)  # longer than the wait before a script is saved
    assert (server.folder / "mine.py").read_text() == text
    other.close()


def on_a_phone_fields_are_wide_enough_for_what_is_typed(person):
    person.page.set_viewport_size({"width": 390, "height": 800})
    widths = {}
    for tab, field_ in (("teach", "#teach-p0"), ("motion", "#drives td input")):
        person.clicks(f"#tab-{tab}")
        widths[tab] = person.page.locator(field_).first.bounding_box()["width"]
    assert person.js("document.documentElement.scrollWidth") <= 390
    person.page.set_viewport_size({"width": 1440, "height": 900})
    assert widths["teach"] > 70 and widths["motion"] > 180  # px


def a_duration_that_is_none_is_put_back(person):
    kept = person.page.locator("#duration").input_value()
    for wrong in ("-3", "0", ""):
        person.types("#duration", wrong)
        person.page.keyboard.press("Tab")
        person.until(lambda: person.page.locator("#duration").input_value() == kept)
        assert f"duration is a number above 0; {kept} is kept" in person.reads("#message")


def the_keyboard_is_enough(person, server, _):
    moved(person)
    a_duration_that_is_none_is_put_back(person)
    on_a_phone_fields_are_wide_enough_for_what_is_typed(person)
    keys = person.page.keyboard
    keys.press("Alt+1")
    person.page.locator("#tab-model").focus()
    keys.press("ArrowRight")
    assert person.page.locator("#tab-teach").get_attribute("aria-selected") == "true"
    keys.press("ArrowRight")
    assert person.page.locator("#tab-motion").get_attribute("aria-selected") == "true"
    keys.press("?")
    assert "Ctrl Enter" in person.reads("#dialog")
    keys.press("Escape")
    for _ in range(40):  # Tab reaches the field of the function
        keys.press("Tab")
        if person.js("document.activeElement.ariaLabel") == "function of elbow_joint":
            break
    keys.press("End")
    keys.type("+0")
    keys.press("Control+Enter")
    person.until(lambda: person.page.locator("#page").get_attribute("src"))
    nameless = "!one.labels?.length && !one.ariaLabel && !one.textContent.trim()"
    every = "[...document.querySelectorAll('input, select, button, textarea')]"
    assert person.js(f"{every}.filter((one) => {nameless}).map((one) => one.outerHTML)") == []


def a_page_of_another_origin_can_start_nothing(person, server, tmp_path):
    moved(person)
    sha256 = server.ask("GET", "scripts/run1")[1]["sha256"]
    (tmp_path / "evil.html").write_text("<p>evil")
    with evil_server(tmp_path) as address:
        page = person.context.new_page()
        page.goto(f"{address}/evil.html")
        base = server.address
        body = f'{{"name": "run1", "sha256": "{sha256}"}}'
        attempts = [
            f"fetch('{base}api/robots')",
            f"fetch('{base}api/run', {{method: 'POST', mode: 'no-cors', body: '{body}'}})",
            f"fetch('{base}api/run', {{method: 'POST', body: '{body}', "
            "headers: {'Content-Type': 'application/json'}})",
            f"fetch('{base}api/runs/run1/20260101T000000.000', {{method: 'DELETE'}})",
        ]
        for attempt in attempts:
            read = f"{attempt}.then((r) => r.ok && r.text(), () => null)"
            assert not page.evaluate(read), attempt
        page.evaluate(f"document.body.innerHTML = `<iframe src='{base}'></iframe>`")
        page.wait_for_timeout(500)
        frame = page.frames[-1]
        assert "Robot" not in frame.content()
        page.close()
    assert server.ask("GET", "run")[1]["state"] == "idle"


@contextlib.contextmanager
def evil_server(folder):
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


WALKS = (
    a_dropped_robot_is_audited_corrected_and_run,
    a_robot_that_cannot_be_read_is_explained_and_a_mesh_elsewhere_is_not_read,
    a_dropped_deck_is_run_as_it_stands_and_a_template_with_its_arguments,
    a_line_and_taught_points_are_paths_of_the_tool,
    studies_show_their_command_and_their_page_and_can_be_stopped,
    springs_contacts_and_drive_trains_are_listed_and_come_back,
    an_error_has_its_place_and_what_was_drawn_stays,
    what_is_changed_and_run_again_lies_over_the_first,
    a_table_and_sliders_come_back_with_their_script,
    two_windows_lose_nothing_and_a_person_s_script_is_not_touched,
    the_keyboard_is_enough,
    a_page_of_another_origin_can_start_nothing,
)


@pytest.mark.rotates(8)
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
def test_walk(walk, person, folder, tmp_path):
    walk(person, folder, tmp_path)


def taught_poses_become_the_motion_that_is_run(person, folder):
    """By branches of the inverse kinematics, with positions that the model confirms."""
    robot = sim.load_robot("ur10")
    poses = np.radians([[10, -80, 70, -40, 60, 20], [12, -78, 68, -40, 60, 20]])
    for q in poses:
        T = sim.frame_pose(robot, q)
        for k, x in enumerate([*1000 * T[:3, 3], *np.degrees(rpy_from_rotation(T[:3, :3]))]):
            person.types(f"#teach-p{k}", f"{x:.9f}")
        person.page.get_by_role("button", name="go", exact=True).click()
        assert person.page.locator("#teach-branches button").count() == 8
        person.types('#teach [aria-label="elbow_joint [°]"]', f"{np.degrees(q[2])}")
        person.page.locator("#teach-teaching button").click()
    assert person.page.locator("#bar").is_visible()
    person.types("#teach-move", "0.2")
    person.types("#teach-hold", "0.1")
    person.clicks("#teach-use")
    person.until(lambda: person.reads("#saved") == "saved")
    assert person.page.locator("#duration").input_value() == "0.3"
    elbow = person.page.locator(field("elbow_joint")).input_value()
    assert elbow == "70d + STEP5(time, 0, 0, 0.2, -2d)"
    person.chooses("#moved", "tool")  # and back: what the joints did is not lost
    person.chooses("#moved", "joints")
    person.until(lambda: person.page.locator(field("elbow_joint")).input_value() == elbow)
    assert person.runs().startswith("pass")
    (run,) = (folder / "results/runs/run1").iterdir()
    recorded = Recording.read(run).recorded
    reached = [recorded[f"q.{name}"].iloc[[0, -1]] for name in robot.joint_names]
    np.testing.assert_allclose(np.transpose(reached), poses, atol=1e-6)  # rad, of typed digits


@pytest.mark.rotates(8)
def test_a_robot_taught_from_a_terminal_is_run_and_its_run_is_played(flat_browser, tmp_path):
    with StudioProcess(tmp_path, "teach", "ur10", "--pose", "upright") as server:
        person = Person(flat_browser, server.address)
        assert person.page.locator('#teach [aria-label="elbow_joint [°]"]').input_value() == "0"
        assert person.page.locator("#start").input_value() == "upright"
        assert not list(tmp_path.glob("*.py"))  # nothing is saved before it is changed
        taught_poses_become_the_motion_that_is_run(person, tmp_path)
        person.close()
    with StudioProcess(tmp_path, "play", "run1", "--browser") as server:
        person = Person(flat_browser, server.address)
        assert person.reads("#result-verdict").startswith("pass")
        assert person.reads("#result-command") == "sim run run1.py"
        assert "run1" in person.page.frame_locator("#page").locator("h1").inner_text()
        person.close()
    with StudioProcess(tmp_path, "play", "run1", "--browser", "--against", "run1") as server:
        person = Person(flat_browser, server.address)
        inside = person.page.frame_locator("#page")
        assert inside.get_by_text("same to the bit").first.is_visible()
        assert person.reads("#result-name").count("run1") == 2
        person.close()


def a_click_in_the_view_is_a_point_of_a_link(person):
    """Wherever in the view the arm is: one of many points meets it, twice."""
    person.clicks("#tab-model")
    person.clicks("#add-spring")
    for words in ("first point", "second point"):
        says(person, words)
        box = person.page.locator("#scene canvas").bounding_box()
        for k in range(400):
            x, y = 0.1 + 0.8 * (k * 0.618 % 1), 0.95 - 0.9 * k / 400
            person.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            if words not in person.reads("#message"):
                break
    person.until(lambda: person.page.locator('[aria-label="from link"]').count())
    assert person.page.locator('[aria-label="from link"]').input_value().endswith("link")
    person.page.keyboard.press("Escape")
    person.clicks("#tab-motion")


@pytest.mark.rotates(8)
@pytest.mark.parametrize("mount", ["floor", "ceiling"])
def test_the_view_plays_the_motion_and_names_the_links(browser, folder, mount):
    person = Person(browser, folder.address)
    demo(person)
    person.until(lambda: person.peaks() == PEAKS)
    if mount == "ceiling":
        person.clicks("#tab-model")
        person.chooses("#mount", mount)
        person.clicks("#tab-motion")
        person.until(lambda: person.peaks() not in ([], PEAKS))
    if mount == "floor":
        a_click_in_the_view_is_a_point_of_a_link(person)
    person.clicks("#play")
    person.page.wait_for_timeout(1500)
    person.clicks("#play")
    assert float(person.reads("#time").split()[0]) > 0.5
    assert person.js("import('./static/studio_view.js').then((view) => view.frames.count)") > 3
    box = person.page.locator("#scene canvas").bounding_box()
    middle = box["x"] + box["width"] / 2
    tips = set()
    for k in range(40):  # down along the middle, over the robot
        person.page.mouse.move(middle, box["y"] + box["height"] * k / 40)
        tips.add(person.reads("#scene .tip"))
    assert any(tip.startswith("link ") and "mass centre" in tip for tip in tips)
    person.close()
