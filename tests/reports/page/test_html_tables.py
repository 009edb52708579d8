import math
import shlex
from pathlib import Path

import pytest

from sim.comparison import Comparison, Difference
from sim.comparison.outcome import Shift
from sim.recording.schema.facts import ClaimFacts, ScriptFacts
from sim.recording.schema.verdicts import ClaimResult
from sim.reports.page.comparison_tables import comparison_tables, machine_rows
from sim.reports.page.html_tables import claim_rows, command, link_rows, provenance_rows
from sim.reports.page.overlay import Overlay
from sim.reports.page.quantity import number
from sim.reports.page.standalone import share_paths
from tests.helpers.page_runs import arm_scene, good_run
from tests.helpers.short_runs import arm


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1234.5678, "1235"),
        (-2.05e-5, "−2.05e−5"),
        (5670.0, "5670"),
        (12345.0, "12345"),
        (1e9, "1e9"),
        (math.nan, "no number"),
        (math.inf, "∞"),
        (None, "–"),
    ],
)
def test_numbers_are_short_and_have_a_real_minus(value, text):
    assert number(value) == text


def test_claims_say_for_how_many_channels_they_are_shown():
    def claim(text):
        return ClaimFacts(text=text, source="S", channel="ke.*", statistic="peak_below")

    def result(channel, ok):
        return ClaimResult("T", "S", channel, 1.0, 2.0, None, "J", ok=ok, at=0.1)

    run = good_run().with_description(
        claims=(claim("T"), claim("U")), claim_results=(result("ke.a", True), result("ke.b", False))
    )
    first, second = claim_rows(run.run)
    assert (first.word, first.state) == ("reproduced for 1 of 2 links", "part")
    assert second.word == "not evaluated"


def test_the_command_repeats_the_run_even_with_odd_values():
    run = good_run().with_description(
        parameters={"centre": [2.0, 0.0, 0.8], "note": "it's; rm -rf /"},
        script=ScriptFacts(path="/home/me/my run.py", sha256="0"),
        engine="mujoco",
    )
    assert command(run.run).startswith("sim run ~/'my run.py' ")  # a shell expands ~
    words = shlex.split(command(run.run))
    assert words[:3] == ["sim", "run", "~/my run.py"]
    assert words[3:7] == ["--set", "centre=2.0,0.0,0.8", "--set", "note=it's; rm -rf /"]
    assert words[7:] == ["--method", "stepped", "--engine", "mujoco", "--dt", "0.001"]


def test_links_are_listed_with_frame_mass_centre_and_inertia():
    """The numbers of two_link.urdf, as a person reads them there; lengths in mm, angles in °."""
    links = arm_scene().links.values()
    rows = {row.name: row for row in link_rows(good_run().run.robot, links)}
    assert list(rows) == [link.name for link in arm().links]
    for link, joint in zip(arm().links[1:], arm().joints, strict=True):
        row = rows[link.name]
        assert row.parent == joint.parent
        shown = [float(x.replace("−", "-")) for x in row.xyz]
        assert shown == pytest.approx(1e3 * joint.T_pc[:3, 3], rel=1e-3, abs=1e-6)
        if link.inertia is None:
            assert (row.mass, row.com, row.inertia) == ("", [], [])
            continue
        tensor = link.inertia.tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        shown = [float(x.replace("−", "-")) for x in row.inertia]
        assert shown == pytest.approx(tensor, rel=1e-3, abs=1e-12)
        shown = [float(x.replace("−", "-")) for x in row.com]
        assert shown == pytest.approx(1e3 * link.inertia.com, rel=1e-3, abs=1e-6)


def test_the_hashes_are_those_of_what_the_page_is_drawn_from():
    run = good_run().with_description(
        figures=("torque.png",),
        page="report.html",
        files={"recording.parquet": "1", "torque.png": "2", "scene.glb": "3", "report.html": "4"},
    )
    shown = [
        name for name, text in provenance_rows(run.run) if text in {f"sha256 {k}" for k in "1234"}
    ]
    assert shown == ["recording.parquet"]


def compared(*changes):
    found = Comparison((), (), (), (), False, changes=changes, shift=None)
    (table,) = comparison_tables([Overlay("old", good_run().recorded, found)])
    return table


def test_a_headline_names_the_parameter_and_not_the_formulas_that_follow_from_it():
    table = compared(
        "parameter a: 0.2 → 0.26", "drive x: 2*COS(time) → 3*COS(time)", "engine: b → c"
    )
    assert table.chosen == ["a 0.2 → 0.26"]
    assert len(table.changes) == 3
    assert all(len(text) <= 60 for text in compared(f"drive x: {200 * 'f'} → g").chosen)


def test_the_name_of_a_kernel_stands_in_the_provenance_alone():
    table = compared("platform: Linux-6.1-x → Linux-6.2-y", "numpy: 2.3 → 2.4")
    assert table.changes == ("another machine", "numpy: 2.3 → 2.4")
    assert machine_rows([table]) == [("Machine, old → this run", "Linux-6.1-x → Linux-6.2-y")]
    assert machine_rows([compared("numpy: 2.3 → 2.4")]) == []


def test_a_comparison_says_word_changes_shift_and_the_rule_beside_the_limit():
    far = Difference("tau.a", 3.0, 1.5, "N·m", 2.0, 0.75, False, rule="1e-06 of the peak (default)")
    early = Difference("n", 2.0, 1.0, "1", 1.0, 0.5, False, rule="1 (tolerances.toml, rule 2)")
    found = Comparison(
        (far, early), ("q.b",), (), (), False, changes=("load: 1 → 2",), shift=Shift(-0.003, 0.01)
    )
    other = Overlay("other", good_run().recorded)
    (table,) = comparison_tables([other, Overlay("old", good_run().recorded, found)])
    assert (table.label, table.word, table.ok) == ("old", "differs", False)
    assert table.changes == ("load: 1 → 2",)
    assert table.chosen == ["load 1 → 2"]
    assert table.shift.startswith("the run is 3 ms earlier")
    assert table.note == "2 channels, 2 beyond their limit; missing: q.b"
    assert table.first.channel == "n"
    first, second = table.rows
    assert (first.worst.text(), first.limit.text(), first.share) == ("3 N·m", "1.5 N·m", "200 %")
    assert first.rule == "1e-06 of the peak (default)"
    assert (second.worst.text(), second.diverges) == ("2", 0.5)


@pytest.mark.parametrize(
    ("path", "shared"),
    [
        ("/home/ann/x/y.py", "~/x/y.py"),
        ("sim run /Users/bob/a.py --set x=1", "sim run ~/a.py --set x=1"),
        (r"C:\Users\eve\a.urdf", r"~\a.urdf"),
        ("/opt/robots/a.urdf", "/opt/robots/a.urdf"),
        (f"{Path.cwd()}/scenarios/a.py", "scenarios/a.py"),
    ],
)
def test_a_page_has_no_path_of_a_home(path, shared):
    assert share_paths(path) == shared
