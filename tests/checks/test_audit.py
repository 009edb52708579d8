import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.checks.energy_balance import energy_balance, energy_balance_checks
from sim.checks.run_view import RunView
from sim.errors import RecordingError
from sim.recording.schema.methods import STEPPED
from sim.recording.schema.verdicts import EnergyBalance
from tests.helpers.short_runs import spoiled, with_settings
from tests.helpers.synthetic_runs import event, joint, recording

G = 9.81
END, HEIGHT = 2.0, 1.5
T = np.linspace(0.0, END, 2001)
K = 1200  # the sample that is spoiled, 1.2 s


def lift(mass=4.0, rubbing=0.0, push=0.0, pick=None, **facts):
    """A load that a slide lifts by 1.5 m in 2 s, z = H/2 (1 - cos(w t)), all by hand.

    `rubbing` is a viscous friction [N·s/m], `push` a force that helps upwards [N], `pick` is
    (time, mass) of a second load that is picked up on the way, or set down where its mass is
    negative.
    """
    w, H = math.pi / END, HEIGHT
    z, zd, zdd = (H / 2 * x for x in (1 - np.cos(w * T), w * np.sin(w * T), w**2 * np.cos(w * T)))
    loss = rubbing * (H * w / 2) ** 2 * (T / 2 - np.sin(2 * w * T) / (4 * w))
    ke, pe = 0.5 * mass * zd**2, mass * G * z
    tau = mass * (G + zdd) + rubbing * zd - push
    work = ke + pe + loss - push * z
    events = ()
    if pick is not None:
        at, more = pick
        k = int(np.searchsorted(T, at - 1e-9))
        added = np.where(np.arange(T.size) >= k, more, 0.0)
        ke_in, pe_in = 0.5 * more * zd[k] ** 2, more * G * z[k]
        tau, ke, pe = tau + added * (G + zdd), ke + 0.5 * added * zd**2, pe + added * G * z
        work = work + (added != 0) * (0.5 * added * zd**2 + added * G * z - ke_in - pe_in)
        events = (event(at, ke_in, pe_in, more),)
    columns = {
        "qd.z": zd,
        "q.z": z,
        "tau.z": tau,
        "friction.z": rubbing * zd,
        "work.z": work,
        "loss.z": loss,
        "ke": ke,
        "pe": pe,
    }
    if push:
        columns["external"] = push * z
    return recording(T, columns, joint("z", "prismatic"), events=events, **facts)


def checks(run):
    return [judgement.check for judgement in energy_balance_checks(RunView(run))]


def failed(run):
    return [(one.name, one.channel) for one in checks(run) if not one.ok]


# By hand


def test_a_load_that_is_lifted_costs_its_weight_times_the_height():
    found = energy_balance(lift())
    assert found.motor_work == pytest.approx(4.0 * G * HEIGHT, rel=1e-14)
    assert found.potential == pytest.approx(4.0 * G * HEIGHT, rel=1e-14)
    assert found.kinetic == pytest.approx(0.0, abs=1e-14)
    assert (found.friction_loss, found.external_work, found.events) == (0.0, 0.0, 0.0)
    assert found.moved == pytest.approx(4.0 * G * HEIGHT, rel=1e-14)
    assert found.residual < 1e-13
    assert (found.ok, found.since, found.table) == (True, None, "recorded")


def test_friction_is_paid_by_the_drive():
    """6 N·s/m over half a sine of speed H w/2: 6 (H w/2)² T/2."""
    heat = 6.0 * (HEIGHT * math.pi / END / 2) ** 2 * END / 2
    found = energy_balance(lift(rubbing=6.0))
    assert found.friction_loss == pytest.approx(heat, rel=1e-14)
    assert found.motor_work == pytest.approx(4.0 * G * HEIGHT + heat, rel=1e-14)
    assert found.residual < 1e-13


def test_a_force_that_helps_spares_the_drive_its_work():
    found = energy_balance(lift(push=10.0))
    assert found.external_work == pytest.approx(10.0 * HEIGHT, rel=1e-14)
    assert found.motor_work == pytest.approx((4.0 * G - 10.0) * HEIGHT, rel=1e-14)
    assert found.residual < 1e-13


@pytest.mark.parametrize(("at", "more"), [(1.0, 3.0), (1.0, -1.5), (0.5, 2.0), (1.0004, 3.0)])
def test_a_load_picked_up_on_the_way_brings_its_energy(at, more):
    run = lift(pick=(at, more))
    found = energy_balance(run)
    (brought,) = run.run.events
    assert found.events == pytest.approx(brought.ke + brought.pe, rel=1e-14)
    assert math.copysign(1, found.events) == math.copysign(1, more)
    assert found.residual < 1e-12
    # from where it was taken, at its speed, it is lifted like the rest
    k = int(np.searchsorted(T, at))
    z, zd = (run.recorded[name].to_numpy()[k] for name in ("q.z", "qd.z"))
    wanted = 4.0 * G * HEIGHT + more * G * (HEIGHT - z) - 0.5 * more * zd**2
    assert found.motor_work == pytest.approx(wanted, rel=1e-12)
    assert failed(run) == []


def test_what_a_load_brings_at_the_very_start_is_counted_once():
    """The first sample has it already: so the run began with 7 J less."""
    found = energy_balance(lift().with_description(events=(event(0.0, 2.0, 5.0),)))
    assert (found.events, found.kinetic) == (7.0, pytest.approx(2.0, rel=1e-14))
    assert found.potential == pytest.approx(4.0 * G * HEIGHT + 5.0, rel=1e-14)
    assert found.residual < 1e-12


def test_an_event_that_nobody_wrote_down_is_an_imbalance_from_its_time_on():
    run = lift(pick=(1.0, 3.0))
    found = energy_balance(run.with_description(events=()))
    (brought,) = run.run.events
    assert (found.ok, found.since) == (False, 1.0)
    assert found.residual == pytest.approx(brought.ke + brought.pe, rel=1e-9)


def test_several_joints_add_up():
    """Two drives that share a load half and half."""
    one = lift(rubbing=6.0)
    shared = {}
    for name, values in one.recorded.items():
        group, _, of = name.partition(".")
        if of and group not in ("q", "qd"):
            shared |= {f"{group}.a": values / 2, f"{group}.b": values / 2}
        else:
            shared |= {f"{name[:-1]}{j}": values for j in "ab"} if of else {name: values}
    run = recording(T, shared, joint("a", "prismatic"), joint("b", "prismatic"))
    for name in ("motor_work", "friction_loss"):
        assert getattr(energy_balance(run), name) == pytest.approx(
            getattr(energy_balance(one), name), rel=1e-14
        )
    assert failed(run) == []


# An imbalance


@pytest.mark.parametrize("channel", ["ke", "pe", "work.z", "loss.z", "external"])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_imbalance_over_the_limit_is_seen_at_its_time(channel, sign):
    run = lift(rubbing=6.0, push=10.0)
    limit = energy_balance(run).limit
    over, under = (sign * share * limit for share in (1.001, 0.999))
    found = energy_balance(spoiled(run, channel, over, K))
    assert (found.ok, found.at, found.since) == (False, T[K], T[K])
    assert found.residual == pytest.approx(1.001 * limit, rel=1e-6)
    assert found.relative == found.residual / found.moved
    assert energy_balance(spoiled(run, channel, under, K)).ok


def test_energy_that_leaks_is_seen_when_it_has_become_too_much():
    """1 mW from 0.5 s on passes a limit of L at 0.5 s + L / 1 mW."""
    run = lift()
    limit, leak = energy_balance(run).limit, 1e-3
    table = run.recorded.assign(ke=run.recorded["ke"] - leak * np.maximum(T - 0.5, 0.0))
    found = energy_balance(replace(run, recorded=table))
    assert not found.ok
    assert found.since == pytest.approx(0.5 + limit / leak, abs=1e-3)
    assert found.at == END
    assert found.residual == pytest.approx(1.5 * leak, rel=1e-9)


@pytest.mark.parametrize("table", ["recorded", "analytic"])
def test_each_table_is_audited_by_itself(table):
    run = spoiled(lift(), "pe", 0.1, K, table)
    assert energy_balance(run).ok is (table == "analytic")
    assert energy_balance(run, analytic=True).ok is (table == "recorded")
    assert energy_balance(run, analytic=True).table == "analytic"
    wanted = "energy balance" if table == "recorded" else "energy balance of the model"
    assert failed(run) == [(wanted, "ke")]


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("channel", ["ke", "work.z", "loss.z"])
def test_what_is_no_number_is_an_imbalance(channel, value):
    found = energy_balance(spoiled(lift(), channel, value, K))
    assert (found.ok, found.at, found.since) == (False, T[K], T[K])
    assert math.isnan(found.residual)
    assert msgspec.json.decode(msgspec.json.encode(found), type=EnergyBalance).residual is None


# The works behind the balance


def test_a_good_run_has_a_balance_for_each_table_and_three_checks_a_joint():
    assert [(one.name, one.channel, one.unit, one.ok) for one in checks(lift(6.0))] == [
        ("energy balance", "ke", "J", True),
        ("energy balance of the model", "ke", "J", True),
        ("drive work", "work.z", "J", True),
        ("friction loss", "loss.z", "J", True),
        ("dissipative friction", "loss.z", "J", True),
    ]


@pytest.mark.parametrize(
    ("channel", "name", "work"),
    [("tau.z", "drive work", "work.z"), ("friction.z", "friction loss", "loss.z")],
)
def test_a_torque_that_is_wrong_has_not_done_the_work(channel, name, work):
    run = lift(rubbing=6.0)
    wrong = run.recorded.assign(**{channel: 1.0001 * run.recorded[channel]})
    assert failed(replace(run, recorded=wrong)) == [(name, work)]
    (check,) = [c for c in checks(replace(run, recorded=wrong)) if c.name == name]
    # the loss only grows, the work of a load that is slowed down too
    assert check.worst == pytest.approx(1e-4 * run.recorded[work].iloc[-1], rel=1e-3)
    assert check.at == END


def test_friction_that_gives_energy_is_no_friction():
    """Its sign turned around everywhere, so that every balance closes."""
    run = lift(rubbing=6.0)
    turned = {"tau.z": run.recorded["tau.z"] - 2 * run.recorded["friction.z"]}
    turned |= {"work.z": run.recorded["work.z"] - 2 * run.recorded["loss.z"]}
    turned |= {name: -run.recorded[name] for name in ("friction.z", "loss.z")}
    both = run.recorded.assign(**turned)
    run = replace(run, recorded=both, analytic=both)
    assert failed(run) == [("dissipative friction", "loss.z")]


@pytest.mark.parametrize("channel", ["work.z", "loss.z", "tau.z", "friction.z", "qd.z", "ke", "pe"])
def test_a_channel_that_is_missing_is_named(channel):
    run = lift()
    less = replace(run, recorded=run.recorded.drop(columns=channel))
    less = replace(less, analytic=less.recorded)
    with pytest.raises(RecordingError, match=f"no channel '{channel}'"):
        checks(less)


# The limits


def test_the_ideal_method_is_held_to_a_millionth_of_the_energy_moved():
    found = energy_balance(lift())
    assert found.limit == pytest.approx(1e-6 * found.moved, rel=1e-3)
    assert energy_balance(lift(), analytic=True).limit == found.limit


def test_a_coarser_step_loosens_it_with_its_square():
    found = energy_balance(lift(dt=3e-3))
    assert found.limit == pytest.approx(9e-6 * found.moved, rel=1e-3)


def test_the_adaptive_method_is_held_to_a_millionth_whatever_its_step_and_corners():
    found = energy_balance(lift(method="adaptive", dt=3e-3, corners=(1.0,)))
    # and 1e-12 of the weights that may cancel
    assert found.limit == pytest.approx(1e-6 * found.moved, rel=2e-6)


def test_the_stepped_method_has_its_own_limit_and_the_bend_of_its_torque():
    run = lift(method="stepped")
    found, model = energy_balance(run), energy_balance(run, analytic=True)
    h = T[1] - T[0]
    curve = 4.0 * HEIGHT / 2 * (math.pi / END) ** 4 * h**2  # of the torque, in a step
    wanted = STEPPED.limits.work * found.moved + curve / 12 * HEIGHT
    assert found.limit == pytest.approx(wanted, rel=1e-3)
    assert model.limit == pytest.approx(1e-6 * model.moved, rel=1e-3)


def test_a_free_joint_loosens_the_stepped_method_only_where_it_is_recorded():
    run = lift(method="stepped", free=("z",))
    assert energy_balance(run).limit == pytest.approx(1e-3 * energy_balance(run).moved, rel=1e-3)
    assert energy_balance(run, analytic=True).limit == pytest.approx(
        1e-6 * energy_balance(run).moved, rel=1e-3
    )


# A third of the force gone from 1 s on: the power falls by a third of m g H w/2 at half the way.
FALL = 4.0 * G / 3 * HEIGHT / 2 * math.pi / END


def falling(place, **facts):
    """A lift with that fall of its power, announced as a corner or an event, or not at all."""
    run = lift(**facts)
    force = np.where(T < 0.9995, 1.0, 2 / 3) * run.recorded["tau.z"].to_numpy()
    table = run.recorded.assign(**{"tau.z": force})
    run = replace(run, recorded=table, analytic=table)
    at = 0.9996 if place == "between" else 1.0
    if place == "nowhere":
        return run
    if place == "event":
        return run.with_description(events=(event(at, 0.0, 0.0),))
    return with_settings(run, corners=(at,))


def allowed(run, analytic=False):
    """What is allowed beside the share of the energy moved [J]."""
    found = energy_balance(run, analytic)
    share = STEPPED.limits.work if run.run.method == "stepped" and not analytic else 1e-6
    return found.limit - share * found.moved


@pytest.mark.parametrize("place", ["corner", "event"])
def test_a_jump_on_a_sample_costs_only_a_method_that_sees_it_from_one_side(place):
    assert allowed(falling(place)) < 1e-9
    stepped = falling(place, method="stepped")
    assert allowed(stepped, analytic=True) < 1e-9
    # half a step of the jump seen, by leaving out samples, and as much again beside the corner
    assert allowed(stepped) - allowed(lift(method="stepped")) > 0.9 * FALL * 1e-3


def test_a_jump_between_two_samples_may_be_anywhere_in_its_step():
    found = allowed(falling("between"))
    # seen by leaving out samples half a step of it; the gradients of both samples, half of it each
    assert found == pytest.approx(1.5 * FALL * 1e-3, rel=0.05)


def test_a_jump_that_is_not_announced_is_allowed_what_the_samples_show_of_it():
    assert allowed(falling("nowhere")) == pytest.approx(0.5 * FALL * 1e-3, rel=0.05)


def hauled(*, bounces=None, **facts):
    """A load pulled at 0.5 m/s by a force that rises from 8 N to 10 N in each step, and falls back.

    The force has done 9 N times the way; the samples show the 8 N after each fall. What `bounces`
    turns round at this speed [m/s] in each step, and no sample shows an acceleration of it.
    """
    speed, way, still = np.full_like(T, 0.5), 0.5 * T, np.zeros_like(T)
    columns = {
        "q.z": way,
        "qd.z": speed,
        "tau.z": np.full_like(T, 8.0),
        "friction.z": still,
        "work.z": 9.0 * way,
        "loss.z": still,
        "ke": still,
        "pe": 9.0 * way,
    }
    if bounces is None:
        return recording(T, columns, joint("z", "prismatic"), **facts)
    columns |= {f"{of}.b": still for of in ("q", "qdd", "tau", "friction", "work", "loss")}
    columns["qd.b"] = bounces * (-1.0) ** np.arange(T.size)
    two = joint("z", "prismatic"), joint("b", "prismatic")
    return with_settings(recording(T, columns, *two, method="adaptive", **facts), free=("b",))


@pytest.mark.parametrize("place", ["corners", "bends"])
def test_what_samples_cannot_show_beside_breaks_is_read_off_the_model(place):
    run = with_settings(hauled(), **{place: tuple(T[1:].tolist())})
    assert failed(run) == []
    for share in (1 + 2e-6, 1 - 2e-6):  # of 9 J, against a millionth of 9 J
        wrong = run.recorded.assign(**{"tau.z": share * 8.0 + 0.0 * T})
        assert failed(replace(run, recorded=wrong)) == [("drive work", "work.z")]


@pytest.mark.parametrize("breaks", [(), (0.5,), tuple(T[100:].tolist())])
def test_away_from_breaks_the_samples_count(breaks):
    assert failed(with_settings(hauled(), corners=breaks)) == [("drive work", "work.z")]


def test_what_samples_do_not_show_of_a_blow_is_read_off_the_model():
    run = hauled(bounces=1.0)
    assert failed(run) == []
    for share in (1 + 2e-6, 1 - 2e-6):
        wrong = run.recorded.assign(**{"tau.z": share * 8.0 + 0.0 * T})
        assert failed(replace(run, recorded=wrong)) == [("drive work", "work.z")]
    assert failed(hauled(bounces=0.0)) == [("drive work", "work.z")]


def test_a_method_that_knows_one_side_is_not_relieved():
    run = with_settings(hauled(method="stepped"), corners=tuple(T[1:].tolist()))
    assert failed(run) == [("drive work", "work.z")]


@pytest.mark.parametrize("coarse", [True, False])
def test_what_every_second_sample_misses_is_allowed(coarse):
    """A power that swings within a few samples cannot be known from them."""
    run = lift()
    period = 4e-3 if coarse else 0.2
    torque = run.recorded["tau.z"] + 5.0 * np.sin(2 * np.pi * T / period + 0.4)
    table = run.recorded.assign(**{"tau.z": torque})
    run = replace(run, recorded=table, analytic=table)
    assert (energy_balance(run).limit > 2e-6 * energy_balance(run).moved) is coarse


# The scale


@given(st.floats(1e-3, 1e3))
def test_a_heavier_load_changes_nothing_in_proportion(k):
    one, more = (
        energy_balance(lift(4.0, 6.0, 10.0)),
        energy_balance(lift(4.0 * k, 6.0 * k, 10.0 * k)),
    )
    for name in ("motor_work", "friction_loss", "external_work", "potential", "moved"):
        assert getattr(more, name) == pytest.approx(k * getattr(one, name), rel=1e-9), name
    assert more.limit == pytest.approx(k * one.limit, rel=1e-6)  # part of it is rounding
    assert more.relative < 1e-14
