from sim.recording.facts import DriveFacts
from sim.reports.run_warnings import other_notes, warnings
from tests.helpers.page_runs import good_run


def test_questions_come_first_and_a_warning_of_several_drives_is_told_once():
    said = {"shoulder": ("it jumps",), "elbow": ("it jumps", "is 40d meant?", "is 40d meant?")}
    drives = tuple(
        DriveFacts(joint=joint, level="displacement", function="x", warnings=words)
        for joint, words in said.items()
    )
    run = good_run().described(drives=drives, notes=("Overload: 12 kg", "of mine")).run
    assert warnings(run) == ["elbow: is 40d meant?", "Overload: 12 kg", "shoulder, elbow: it jumps"]
    assert other_notes(run) == ["of mine"]
