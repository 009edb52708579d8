import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd
import pytest

from sim.checks import Check
from sim.scenario import script
from tests.cli.command_runs import FAST, FILES, process, runs
from tests.helpers.command_scripts import script_text, write_swing

REPORT = {"report.html", "scene.glb"}
FIGURES = {
    f"{name}.{suffix}"
    for name in ("velocity", "kinetic_energy", "torque", "torque_speed")
    for suffix in ("png", "svg")
}


def test_a_run_leaves_its_files_in_a_folder_of_its_own(sim_command, swing):
    done = sim_command("run", "swing.py")
    assert (done.status, done.err) == (0, "")
    (folder,) = runs(swing)
    assert re.fullmatch(r"\d{8}T\d{6}\.\d{3}", folder.name)
    assert {path.name for path in folder.iterdir()} == FILES | REPORT
    assert re.match(r"swing  \w+, stepped, 0\.1 s at 1 ms, load = 0\.5", done.out)
    place = folder.relative_to(swing)
    assert f"\npage     {place}/report.html\nfolder   {place}\n" in done.out
    assert re.fullmatch(r"swing  pass   (\d+) of \1 checks passed", done.out.splitlines()[-1])


def test_the_robot_of_a_scenario_is_an_option(sim_command, swing):
    """The same bits as by --set; a robot's file is no scenario."""
    text = script_text().replace("load: float = 0.5", 'robot: str = "arm.urdf"')
    text = text.replace('Path(__file__).with_name("arm.urdf")', "robot")
    (swing / "any.py").write_text(text.replace(".with_payload(mass=load)", ""))
    other_arm = (swing / "arm.urdf").read_text().replace('mass value="', 'mass value="1')
    (swing / "other.urdf").write_text(other_arm)
    for number, words in enumerate((("--robot", "other.urdf"), ("--set", "robot=other.urdf"), ())):
        done = sim_command("run", "any.py", "--no-report", *words, "--out", f"out{number}")
        assert (done.status, done.err) == (0, "")
    one, same, first = (
        (swing / f"out{number}" / "recording.parquet").read_bytes() for number in range(3)
    )
    assert one == same != first
    done = sim_command("run", "arm.urdf")
    assert done.status == 2 and "arm.urdf is the file of a robot, not a scenario" in done.err
    done = sim_command("run", "swing.py", "--robot", "arm.urdf")
    assert done.status == 2 and "has no parameter 'robot'" in done.err


def test_all_there_is_to_say_is_printed_where_it_is_asked_for(sim_command, swing):
    short = sim_command("run", "swing.py", "--out", "there").out
    long = sim_command("run", "swing.py", "--out", "there", "--verbose", "--figures").out
    again = sim_command("check", "there", "--verbose").out
    assert {path.name for path in (swing / "there").iterdir()} == FILES | REPORT | FIGURES
    assert len(short.splitlines()) <= 24 < len(long.splitlines())
    for text in (long, again):
        assert "Lagrange and Newton-Euler" in text
        assert "files    there  (" in text
        assert text.splitlines()[-1] == short.splitlines()[-1]
    assert sim_command("check", "there").out == short


def test_several_scenarios_are_a_row_each_and_last_a_line_for_all(sim_command, swing):
    done = sim_command("run", "swing.py", "two_link", "--no-report", "--out", "runs")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == ["scenario", "swing", "two_link", "folder", "2"]
    assert lines[-1] == "2 of 2 pass"
    verbose = sim_command("run", "swing.py", "two_link", "--no-report", "--out", "x", "--verbose")
    assert "Lagrange and Newton-Euler" in verbose.out
    assert verbose.out.splitlines()[-1] == "2 of 2 pass"


def test_run_json_holds_what_the_contract_promises(sim_command, swing):
    sim_command("run", "swing.py", "--no-report", "--set", "load=1.5", "--out", "there")
    info = json.loads((swing / "there" / "run.json").read_text("utf-8"))
    assert info["scenario"] == "swing"
    assert info["verdict"] == "pass"
    assert info["run"] == "there"
    assert info["method"] == "stepped"
    assert info["parameters"] == {"load": 1.5, "duration": 0.1, "dt": 1e-3}
    assert {tuple(check) for check in info["checks"]} == {tuple(Check.__annotations__)}
    assert tuple(Check.__annotations__) == (
        "name", "channel", "worst", "limit", "unit", "at", "ok", "used", "plot",
    )  # fmt: skip
    table = pd.read_parquet(swing / "there" / "recording.parquet")
    assert info["peaks"]["tau.elbow"] == table["tau.elbow"].abs().max()
    assert {"created", "python", "platform", "versions"} <= set(info["provenance"])
    assert len(info["script"]["sha256"]) == 64


def test_json_is_one_document_and_equal_to_run_json(sim_command, swing):
    done = sim_command("run", "swing.py", "--json", "--no-report")
    assert (done.status, done.err, done.out.count("\n")) == (0, "", 1)
    written = json.loads((Path(done.document["run"]) / "run.json").read_text("utf-8"))
    assert done.document == written


def test_a_run_tells_the_path_of_its_page(sim_command, swing):
    done = sim_command("run", "swing.py", "--out", "run")
    assert done.status == 0
    assert "page     run/report.html\n" in done.out
    assert "swing" in (swing / "run" / "report.html").read_text("utf-8")
    assert json.loads((swing / "run" / "run.json").read_text("utf-8"))["page"] == "report.html"


def test_several_scenarios_make_one_list_and_a_folder_each(sim_command, swing):
    (swing / "other.py").write_text(script_text(), encoding="utf-8")
    done = sim_command("run", "swing.py", "other.py", "--json", "--no-report", "--out", "all")
    assert [d["scenario"] for d in done.document] == ["swing", "other"]
    assert [d["run"] for d in done.document] == ["all/swing", "all/other"]
    assert sorted(path.name for path in (swing / "all").iterdir()) == ["other", "swing"]


def test_all_runs_every_shipped_scenario(sim_command, swing, monkeypatch):
    (swing / "scenarios").mkdir()
    write_swing(swing / "scenarios")
    monkeypatch.setattr(script.shipped, "scenarios", lambda: swing / "scenarios")
    done = sim_command("run", "--all", "--json", "--no-report")
    assert done.status == 0
    assert done.document["scenario"] == "swing"


def test_a_second_run_into_the_same_folder_replaces_the_first(sim_command, swing):
    sim_command("run", "swing.py", "--out", "there")
    assert sim_command("run", "swing.py", "--out", "there", "--no-report").status == 0
    assert {path.name for path in (swing / "there").iterdir()} == FILES


@pytest.mark.parametrize(
    ("names", "report"), [(("other.py",), True), (("swing.py", "other.py"), False)]
)
def test_junit_is_written_for_one_run_or_many_with_a_page_or_without(
    sim_command, swing, names, report
):
    (swing / "other.py").write_text(script_text(FAST), encoding="utf-8")
    more = () if report else ("--no-report",)
    done = sim_command("run", *names, "--out", "all", "--junit", "j.xml", "--json", *more)
    documents = done.document if len(names) > 1 else [done.document]
    suites = ET.parse(swing / "j.xml").getroot()
    assert [suite.get("name") for suite in suites] == [name[:-3] for name in names]
    for suite, document in zip(suites, documents, strict=True):
        cases = {case.get("name"): case.find("failure") for case in suite}
        told = {f"{check['name']} {check['channel']}": check["ok"] for check in document["checks"]}
        assert {name: failure is None for name, failure in cases.items()} == told
        page = f"{document['run']}/report.html#ch=" if report else document["run"]
        assert all(f.text.startswith(page) for f in cases.values() if f is not None)
    assert not list(swing.glob(".*"))  # nothing half written


@pytest.mark.parametrize("file", ["nowhere/junit.xml", "swing.py/junit.xml", "folder", "pipe"])
def test_where_junit_cannot_be_written_nothing_is_simulated(sim_command, swing, file):
    (swing / "folder").mkdir()
    os.mkfifo(swing / "pipe")
    done = sim_command("run", "swing.py", "--junit", file)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"Cannot write {file}" in done.err
    assert not (swing / "results").exists()


def without_name(folder):
    text = (folder / "arm.urdf").read_text("utf-8")
    (folder / "arm.urdf").write_text(re.sub(r'(<robot) name="[^"]*"', r"\1", text), "utf-8")


def test_a_repaired_robot_runs_with_a_word_and_is_refused_where_strictness_is_asked_for(
    sim_command, swing
):
    without_name(swing)
    done = sim_command("run", "swing.py", "--no-report", "--out", "there")
    assert done.status == 0
    assert "robot    1 repair: --verbose shows all" in done.out
    told = sim_command("check", "there", "--verbose").out
    assert "repaired robot: <robot> needs the attribute 'name'" in told
    info = json.loads((swing / "there" / "run.json").read_text("utf-8"))
    assert [repair["kind"] for repair in info["robot"]["repairs"]] == ["name"]
    done = sim_command("run", "swing.py", "--no-report", "--out", "elsewhere", "--strict")
    assert done.status == 2
    assert "requires repairs" in done.err
    assert "needs the attribute 'name'" in done.err
    assert not (swing / "elsewhere").exists()


def test_strictness_is_no_hindrance_to_a_clean_robot(sim_command, swing):
    done = sim_command("run", "swing.py", "--no-report", "--strict")
    assert (done.status, done.err) == (0, "")
    assert "repairs" not in done.out


def test_the_page_has_a_table_of_repairs_only_where_there_are_some(sim_command, swing):
    sim_command("run", "swing.py", "--out", "clean")
    without_name(swing)
    sim_command("run", "swing.py", "--out", "repaired")
    assert 'id="repairs"' not in (swing / "clean" / "report.html").read_text("utf-8")
    page = (swing / "repaired" / "report.html").read_text("utf-8")
    assert "&lt;robot&gt; needs the attribute" in page.split('id="repairs"')[1].split("</table>")[0]


def test_the_page_has_the_audit_of_its_robot_and_report_writes_the_same(sim_command, swing):
    without_name(swing)
    sim_command("run", "swing.py", "--out", "run")
    page = (swing / "run" / "report.html").read_text("utf-8")
    section = page.split('<section id="file">')[1].split("</section>")[0]
    assert '<a href="#file">Robot file</a>' in page
    assert "&lt;robot&gt; needs the attribute" in section
    assert section.count('<td class="part">warning</td>') == 1
    for program in ("Lagrange", "Newton–Euler", "PyBullet"):
        assert program in section
    done = sim_command("report", "run")
    assert done.status == 0
    again = (swing / "run" / "report.html").read_text("utf-8")
    assert again.split('<section id="file">')[1].split("</section>")[0] == section


def loaded(*words, cwd, **environment):
    """What of some modules a command has loaded."""
    code = (
        "import sys, sim\n"
        f"try: sim.main(argv={[*words]})\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        "wanted = ('pandas', 'numba', 'matplotlib', 'scipy', 'sim.decks.deck_model',\n"
        "          'sim.dynamics.integration', 'sim.motion.tool_path',\n"
        "          'sim.shapes.surface')\n"
        "print([name for name in wanted if name in sys.modules])"
    )
    done = process(sys.executable, "-c", code, cwd=cwd, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_a_prescribed_motion_loads_no_more_than_it_needs(tmp_path):
    assert loaded("run", "two_link", "--no-report", "--out", "x", cwd=tmp_path) == "[]"


@pytest.mark.rotates(3)
def test_the_second_page_of_a_robot_loads_no_scipy(tmp_path):
    words = ("run", "ur10_step", "--out", "x")
    cache = str(tmp_path / "cache")
    assert "'scipy'" in loaded(*words, cwd=tmp_path, SIM_CACHE=cache)
    assert loaded(*words, cwd=tmp_path, SIM_CACHE=cache) == "['sim.shapes.surface']"
