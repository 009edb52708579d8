from dataclasses import replace

from sim.reports.page.channels import GROUPS, channels_of, limit_of
from tests.page_runs import good_run


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
    info = {"units": {**good_run().units, "humidity.hall": "%"}}
    found = channels_of(replace(good_run(), **tables).with_info(**info))
    assert [(c.name, c.group, c.unit) for c in found if "hall" in c.name] == [
        ("humidity.hall", "other", "%")
    ]


def test_the_band_is_that_of_the_comparison_with_the_model():
    checks = good_run().info["checks"]
    (wanted,) = (c for c in checks if c["name"] == "torque" and c["channel"] == "tau.elbow")
    assert limit_of(checks, "tau.elbow") == wanted["limit"]
    assert limit_of(checks, "power.elbow") is None
