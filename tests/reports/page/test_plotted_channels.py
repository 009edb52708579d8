from dataclasses import replace

from sim.checks import judge
from sim.recording.schema.channels import GROUPS
from sim.reports.page.plotted_channels import channels_of, limit_of, ratings_of
from tests.helpers.page_runs import good_run
from tests.helpers.short_runs import arm


def names(recording):
    return [channel.name for channel in channels_of(recording)]


def test_every_channel_has_its_place_but_estimates_and_targets():
    shown = set(names(good_run()))
    left = set(good_run().recorded.columns) - shown
    assert {name.partition(".")[0] for name in left} == {"tau_error", "friction", "loss"}
    assert {"balance", "tool.error"} <= shown


def test_a_target_is_what_the_tool_is_held_against_and_no_curve_of_its_own():
    tool = {f"target.{c}": good_run().recorded[f"tool.{c}"] for c in "xyz"}
    tables = {name: getattr(good_run(), name).assign(**tool) for name in ("recorded", "analytic")}
    shown = names(replace(good_run(), **tables))
    assert "path.error" in shown
    assert not any(name.startswith("target") for name in shown)


def test_friction_is_shown_where_there_is_some():
    table = good_run().recorded.assign(**{"friction.elbow": 0.1})
    assert "friction.elbow" in names(replace(good_run(), recorded=table))


def test_groups_stand_in_the_order_of_the_page():
    groups = [channel.group for channel in channels_of(good_run())]
    order = list(GROUPS)
    assert [order.index(group) for group in groups] == sorted(order.index(g) for g in groups)


def test_a_channel_that_nobody_knows_is_shown_too():
    tables = {
        name: getattr(good_run(), name).assign(**{"humidity.hall": 1.0})
        for name in ("recorded", "analytic")
    }
    units = {**good_run().units, "humidity.hall": "%"}
    found = channels_of(replace(good_run(), **tables).with_description(units=units))
    assert [(c.name, c.group, c.unit) for c in found if "hall" in c.name] == [
        ("humidity.hall", "other", "%")
    ]


def test_the_band_is_that_of_the_comparison_with_the_model():
    judgements = judge(good_run())
    of_elbow = (one.check for one in judgements if one.check.channel == "tau.elbow")
    (wanted,) = (check for check in of_elbow if check.name == "torque")
    assert limit_of(judgements, "tau.elbow") == wanted.limit
    assert limit_of(judgements, "work.elbow") is None


def test_a_curve_has_lines_at_its_ratings_on_both_sides_and_at_the_ends_of_its_range():
    judgements = judge(good_run())
    shoulder = arm().tree_joints[0].limits
    rated = [("rated torque", shoulder.effort), ("rated torque", -shoulder.effort)]
    assert ratings_of(judgements, "tau.shoulder") == rated
    ends = [("lower position limit", shoulder.lower), ("upper position limit", shoulder.upper)]
    assert ratings_of(judgements, "q.shoulder") == ends
    assert ratings_of(judgements, "power.shoulder") == []


def test_stops_regimes_measures_and_forces_in_loops_have_groups_of_their_own():
    named = {"stop.elbow": "elbow", "regime.elbow": "elbow"}
    named |= {"measure.foot.fx": "foot  fx", "loop.rod.fz": "rod  fz"}
    tables = {
        name: getattr(good_run(), name).assign(**dict.fromkeys(named, 1.0))
        for name in ("recorded", "analytic")
    }
    found = {c.name: c for c in channels_of(replace(good_run(), **tables))}
    for name, label in named.items():
        assert (found[name].group, found[name].label) == (name.partition(".")[0], label)
