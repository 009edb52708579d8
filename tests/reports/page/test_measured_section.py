from sim.recording import Recording
from sim.reports.page.page import page
from sim.reports.page.page_meta import VisibleChannels


def test_a_run_beside_a_log_has_a_section_with_a_row_for_each_joint(shipped_run):
    recording = Recording.read(shipped_run("ur10_measured"))
    text = page(VisibleChannels.of(recording))
    section = text.split('<section id="measured">')[1].split("</section>")[0]
    assert section.count("<tr>") == 1 + len(recording.run.measured)
    lift = recording.run.measured[1]
    assert f"{lift.slope:.3f} ± {lift.slope_within:.3f}" in section
    assert "A synthetic log: no robot was measured." in section
    assert 'href="#measured"' in text
