"""Expressions of a run's channels."""

import numpy as np
import pytest

from sim.curves import Curve
from sim.errors import CurveError, ExpressionError
from tests.helpers.short_runs import short_run


def test_power_is_torque_by_speed_and_its_integral_is_the_work():
    run = short_run("ideal")
    power = run.math("tau.elbow*qd.elbow")
    assert power.unit == "W"
    np.testing.assert_array_equal(power.values, run["power.elbow"])
    work = run.math("INTEGRAL(tau.elbow*qd.elbow)")
    assert work.unit == run.units["work.elbow"] == "J"
    # the channel is a quadrature between samples; straight lines are off by what is said, and the
    # change by every other sample is thrice the error of a rule of second order
    off = np.abs(work.values - run["work.elbow"]).max()
    assert off <= work.error <= 7 * off


@pytest.mark.parametrize(("form", "channel"), [("DIF(q.{})", "qd.{}"), ("DIF(qd.{})", "qdd.{}")])
@pytest.mark.parametrize("joint", ["shoulder", "elbow"])
def test_rates_of_a_run_are_derivatives_to_within_what_is_said(form, channel, joint):
    run = short_run("ideal")
    found = run.math(form.format(joint))
    off = np.abs(found.values - run[channel.format(joint)]).max()
    assert 0 < off <= found.error
    assert found.unit == run.units[channel.format(joint)]


def test_the_model_and_curves_of_ones_own_can_be_named():
    run = short_run()
    model = run.math("tau.elbow", analytic=True)
    np.testing.assert_array_equal(model.values, run.analytic["tau.elbow"])
    off = run.math("tau.elbow - model", {"model": model})
    np.testing.assert_array_equal(off.values, run["tau.elbow"] - run.analytic["tau.elbow"])
    with pytest.raises(CurveError, match="bring one to the times"):
        run.math("tau.elbow - other", {"other": Curve([0, 1], [0, 1], "N·m")})
    with pytest.raises(
        ExpressionError, match=r"no channel 'tau\.elbw'; the nearest are tau\.elbow"
    ):
        run.math("tau.elbw")
