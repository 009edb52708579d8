import math
import shlex

import pytest

from sim.reports.page import tables
from sim.reports.page.tables import (
    check_rows,
    claim_rows,
    command,
    generic_table,
    link_rows,
    number,
    share,
)
from tests.page_runs import arm_scene, bad_run, good_run
from tests.short_runs import arm


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


def test_checks_that_failed_come_first_then_those_nearest_to_their_limit():
    rows = check_rows(bad_run().info)
    assert [row["ok"] for row in rows] == sorted(row["ok"] for row in rows)
    assert not rows[0]["ok"]
    good = [row["used"] for row in rows if row["ok"]]
    assert good == sorted(good, reverse=True)
    assert all(used <= 1 + 1e-9 for used in good)


def test_a_range_is_used_up_at_its_end_and_not_at_all_in_its_middle():
    joints = [{"name": "j", "lower": 1.0, "upper": 3.0}]
    check = {"name": "upper end of range", "channel": "q.j", "limit": 3.0, "ok": True}
    assert share({**check, "worst": 3.0}, joints) == 1
    assert share({**check, "worst": 2.5}, joints) == 0.5
    lower = {**check, "name": "lower end of range", "limit": 1.0}
    assert share({**lower, "worst": 1.5}, joints) == 0.5


def test_a_check_with_a_worst_that_is_no_number_has_used_all():
    row = {"name": "torque", "channel": "tau.j", "worst": None, "limit": 1.0, "ok": False}
    assert share(row, []) == math.inf


def test_claims_say_for_how_many_channels_they_are_shown():
    claim = {"text": "T", "source": "S"}
    result = {**claim, "found": 1.0, "expected": 2.0, "within": None, "unit": "J", "at": 0.1}
    info = {
        "claims": [claim, {"text": "U", "source": "S"}],
        "claim_results": [
            {**result, "channel": "ke.a", "ok": True},
            {**result, "channel": "ke.b", "ok": False},
        ],
    }
    first, second = claim_rows(info)
    assert (first["word"], first["state"]) == ("1 of 2", "part")
    assert second["word"] == "not judged"


def test_the_command_repeats_the_run_even_with_odd_values():
    info = (
        good_run()
        .with_info(
            parameters={"centre": [2.0, 0.0, 0.8], "note": "it's; rm -rf /"},
            script={"path": "/home/me/my run.py", "sha256": "0"},
        )
        .info
    )
    words = shlex.split(command(info))
    assert words[:3] == ["sim", "run", "/home/me/my run.py"]
    assert words[3:7] == ["--set", "centre=2.0,0.0,0.8", "--set", "note=it's; rm -rf /"]
    assert words[7:] == ["--method", "stepped", "--dt", "0.001"]


def test_a_table_of_anything_has_a_column_for_each_key():
    table = generic_table([{"joint": "a", "peak": {"t": 1.0, "torque": 2.5}}, {"joint": "b"}])
    assert table == {
        "columns": ["joint", "peak t", "peak torque"],
        "rows": [["a", "1", "2.5"], ["b", "–", "–"]],
    }
    assert generic_table({"kinetic_energy": 1.0})["rows"] == [["kinetic energy", "1"]]
    assert generic_table(None) is generic_table([]) is None


def test_the_facts_count_what_failed():
    rows = check_rows(bad_run().info)
    facts = tables.facts(bad_run(), rows)
    failed = sum(not row["ok"] for row in rows)
    assert facts[0]["value"] == f"{len(rows) - failed} of {len(rows)}"
    assert f"{failed} failed" in facts[0]["note"]


def test_links_are_listed_with_frame_mass_centre_and_inertia():
    """The numbers of two_link.urdf, as a person reads them there; lengths in mm, angles in °."""
    scene = arm_scene()
    extras = {
        n["extras"]["link"]: n["extras"] for n in scene.nodes if "link" in n.get("extras", {})
    }
    rows = {row["name"]: row for row in link_rows(good_run().info, extras)}
    assert list(rows) == [link.name for link in arm().links]
    for link, joint in zip(arm().links[1:], arm().joints, strict=True):
        row = rows[link.name]
        assert row["parent"] == joint.parent
        shown = [float(x.replace("−", "-")) for x in row["xyz"]]
        assert shown == pytest.approx(1e3 * joint.T_pc[:3, 3], rel=1e-3, abs=1e-6)
        if link.inertia is None:
            assert (row["mass"], row["com"], row["inertia"]) == ("", [], [])
            continue
        tensor = link.inertia.tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        shown = [float(x.replace("−", "-")) for x in row["inertia"]]
        assert shown == pytest.approx(tensor, rel=1e-3, abs=1e-12)
        shown = [float(x.replace("−", "-")) for x in row["com"]]
        assert shown == pytest.approx(1e3 * link.inertia.com, rel=1e-3, abs=1e-6)
