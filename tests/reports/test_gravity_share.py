import pytest
from rich.console import Console

import sim
from sim.reports.page.drives import weight_rows
from sim.reports.terminal.run_details import weight_of_drives
from tests.helpers.small_robots import lift


@pytest.fixture(scope="module")
def recording():
    motion = sim.JointMotion.displacement({"slide": "0.1*time"})
    return sim.run(sim.Scenario(lift(2.0), motion, duration=0.1))


def test_terminal_and_page_have_the_weight_of_each_drive(recording):
    (table,) = weight_of_drives(recording)
    console = Console(width=80)
    with console.capture() as shown:
        console.print(table)
    row = shown.get().splitlines()[-2].split()
    assert " ".join(row) == "slide 19.62 N 0.000 s 100 % 19.62 N 100 %"
    (row,) = weight_rows(recording)
    peak, rms = row.peak.text(), row.rms.text()
    assert (peak, row.of_peak, rms, row.of_rms) == ("19.62 N", "100 %", "19.62 N", "100 %")
    assert row.plot == "tau.slide"


def test_a_run_without_its_robot_has_no_such_table(recording):
    bare = recording.having(urdf=None)
    assert weight_of_drives(bare) == []
    assert weight_rows(bare) == []
