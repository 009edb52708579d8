"""What a page shows of an audit, beside what the terminal shows."""

import io

import pytest
from rich.console import Console

from sim import shipped
from sim.audit import audit
from sim.audit.to_page import to_page
from sim.audit.to_terminal import to_terminal

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


def test_a_file_that_does_not_load_has_no_torques(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text("<robot/>")
    assert to_page(audit(path)).torques is None
