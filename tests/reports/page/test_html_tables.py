import math
import shlex

import pytest

from sim.recording.facts import ClaimFacts, ScriptFacts
from sim.recording.verdicts import ClaimResult
from sim.reports.page.html_tables import (
    claim_rows,
    command,
    link_rows,
    number,
    provenance_rows,
)
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

    run = good_run().described(
        claims=(claim("T"), claim("U")), claim_results=(result("ke.a", True), result("ke.b", False))
    )
    first, second = claim_rows(run.run)
    assert (first.word, first.state) == ("1 of 2", "part")
    assert second.word == "not judged"


def test_the_command_repeats_the_run_even_with_odd_values():
    run = good_run().described(
        parameters={"centre": [2.0, 0.0, 0.8], "note": "it's; rm -rf /"},
        script=ScriptFacts(path="/home/me/my run.py", sha256="0"),
    )
    words = shlex.split(command(run.run))
    assert words[:3] == ["sim", "run", "/home/me/my run.py"]
    assert words[3:7] == ["--set", "centre=2.0,0.0,0.8", "--set", "note=it's; rm -rf /"]
    assert words[7:] == ["--method", "stepped", "--dt", "0.001"]


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
    run = good_run().described(
        figures=("torque.png",),
        page="report.html",
        files={"recording.parquet": "1", "torque.png": "2", "scene.glb": "3", "report.html": "4"},
    )
    shown = [
        name for name, text in provenance_rows(run.run) if text in {f"sha256 {k}" for k in "1234"}
    ]
    assert shown == ["recording.parquet"]
