"""What a page shows of an audit, beside what the terminal shows."""

import io

import pytest
from rich.console import Console

from sim import shipped
from sim.audit import audit
from sim.audit.to_page import to_page
from sim.audit.to_terminal import to_terminal
from tools.readings.planted import PLANTED

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
HOSTILE = '<lnik name="&lt;script&gt;alert(1)&lt;/script&gt;"/></robot>'


@pytest.fixture
def audited(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(SOUND.replace("</robot>", HOSTILE).replace('"2.5" effort', '"150" effort'))
    return audit(path)


def test_the_page_has_the_words_and_numbers_of_the_terminal(audited):
    console = Console(file=io.StringIO(), width=1000)
    for part in to_terminal(audited):
        console.print(part, soft_wrap=True)
    printed = " ".join(console.file.getvalue().split())
    shown = to_page(audited)
    assert (shown.ok, shown.counts) == (False, audited.counts)
    assert shown.counts in printed
    for row in shown.findings:
        for cell in (row.severity, row.line, row.where, row.text, row.remedy):
            assert " ".join(cell.split()) in printed
    assert [row.joint for row in shown.torques.rows] == ["shoulder", "elbow"]
    for row in shown.torques.rows:
        assert " ".join((row.joint, row.peak, *row.off, row.apart, row.outlier)) in printed


def test_readings_by_other_programs_are_in_terminal_page_and_json(tmp_path, sim_command):
    path = tmp_path / "arm.urdf"
    path.write_text(PLANTED["bare-frame"], encoding="utf-8")
    found = audit(path)
    console = Console(file=io.StringIO(), width=80)
    for part in to_terminal(found):
        console.print(part, soft_wrap=True)
    lines = console.file.getvalue().splitlines()
    table_at = next(k for k, line in enumerate(lines) if line.startswith("how other"))
    assert max(map(len, lines[table_at:-1])) <= 80
    printed = " ".join(" ".join(lines).split())
    table = to_page(found).readings
    (row,) = (row for row in table.rows if row.feature == "<link> without <inertial>")
    (one,) = (one for one in found.document()["readings"] if one["feature"] == "bare-frame")
    size = one["differences"]["PyBullet"]
    assert row.cells[0] == ("1 kg", f"{size['size']:.3g} {size['unit']}", True)
    assert row.cells[1:] == [("0 kg", "", False)] * 5
    assert f"1 kg PyBullet {row.cells[0][1]}" in printed and "0 kg all others" in printed
    assert one["where"] == ["tip"] and row.where == "tip"
    html = tmp_path / "page.html"
    sim_command("audit", str(path), "--html", str(html))
    text = html.read_text(encoding="utf-8")
    assert f"1 kg<br>{row.cells[0][1]}" in text and "PyBullet 3.2.7" in text


def test_a_file_that_does_not_load_has_readings_without_torques(tmp_path):
    path = tmp_path / "trees.urdf"
    path.write_text(PLANTED["several-trees"], encoding="utf-8")
    found = audit(path)
    assert found.torques is None
    (row,) = (row for row in to_page(found).readings.rows if row.feature == "several root links")
    assert row.cells[0] == ("crash", "", True)


def test_a_file_that_does_not_load_has_no_torques(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text("<robot/>")
    assert to_page(audit(path)).torques is None
