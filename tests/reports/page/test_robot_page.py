import html
import re

from sim.reports.page.robot_file import FindingRow, RobotFile, TorqueRow, TorqueTable
from sim.reports.page.robot_page import write_robot_page

ROW = FindingRow("warning", "7", "elbow", "<b>a & b</b>", "mend it")
TORQUE = TorqueRow("elbow", "3 N·m", ("1e-16", "2e-3"), "2e-3", "PyBullet", ok=False)
TORQUES = TorqueTable(("Lagrange", "PyBullet"), [TORQUE], 20, ["MuJoCo: not installed"])


def written(tmp_path, shown):
    write_robot_page(tmp_path / "a.html", shown)
    return (tmp_path / "a.html").read_text("utf-8")


def test_what_a_file_says_is_text_and_never_markup(tmp_path):
    page = written(tmp_path, RobotFile("<i>.urdf", True, "1 warning", [ROW], None))
    assert "<b>a" not in page
    assert "&lt;b&gt;a &amp; b&lt;/b&gt;" in page
    assert "<h1>&lt;i&gt;.urdf</h1>" in page
    assert re.search('<td class="part">warning</td><td class="n">7</td><td>elbow</td>', page)
    assert "torques by" not in page


def test_a_joint_at_which_programs_differ_stands_out(tmp_path):
    page = written(tmp_path, RobotFile("r", False, "1 error", [], TORQUES))
    assert '<tr class="failed"><td>elbow</td>' in page
    assert "compared across 2 programs" in page
    assert "MuJoCo: not installed" in page
    assert "No findings" in page


def test_the_page_allows_no_script_and_asks_for_nothing(tmp_path):
    page = written(tmp_path, RobotFile("r", True, "", [], None))
    assert "default-src 'none'" in html.unescape(page)
    assert "<script" not in page
    assert "src=" not in page
