import math
import re
from dataclasses import replace

import numpy as np
import pytest

from sim.checks import energy_balance, sizing
from sim.reports.terminal import sizing_and_energy
from tests.helpers.short_runs import spoiled, with_settings
from tests.helpers.synthetic_runs import event, joint, recording
from tests.helpers.terminal_texts import line_of, printed

T = np.linspace(0.0, 2.0, 2001)
EVENT = event(1.0, ke=-1.25, pe=-30.0, mass=-2.5)


def hoist(**facts):
    """20 N·m at 3 rad/s for a second up and a second down, of which 2 N·m are friction.

    Up it takes 20 · 3 = 60 J and gains 54 J; down it holds with 16 N·m and gets 48 J back.
    """
    qd = np.where(T < 1.0, 3.0, -3.0)
    tau, friction = 18.0 + 2.0 * np.sign(qd), 2.0 * np.sign(qd)
    q = 3.0 * (1 - np.abs(T - 1.0))
    columns = {
        "q.winch": q,
        "qd.winch": qd,
        "tau.winch": tau,
        "friction.winch": friction,
        "work.winch": 18.0 * q + 6.0 * T,
        "loss.winch": 6.0 * T,
        "ke": np.full(T.size, 4.0),
        "pe": 18.0 * q,
    }
    return recording(T, columns, joint("winch", **facts), corners=(1.0,))


def drive_sizing(run):
    return sizing_and_energy.drive_sizing(run.with_description(sizing=sizing(run)).run)


def energy_audit(run):
    audits = tuple(energy_balance(run, analytic=analytic) for analytic in (False, True))
    return sizing_and_energy.energy_balance_lines(run.with_description(audit=audits).run)


def row(text, *begins):
    return line_of(text, *begins).split()


def test_every_drive_has_its_needs_and_its_margins():
    line = row(printed(drive_sizing(hoist(effort=50.0, velocity=4.5))), "winch")
    rms = math.sqrt((20**2 + 16**2) / 2)
    words = f"winch 20 N·m {rms:.4g} N·m 18 N·m 60 W".split()
    assert line[: len(words)] == pytest.approx(words)
    # the power falls by 108 W within the step at 1 s: the energies are known to 0.03 J or so
    mean, delivered, back = (float(line[k]) for k in (9, 11, 13))
    assert mean == pytest.approx(6.0, abs=0.06)
    assert delivered == pytest.approx(60.0, abs=0.06)
    assert back == pytest.approx(48.0, abs=0.06)
    assert line[-3:] == ["×2.5", f"×{50 / rms:.3g}", "×1.5"]


def test_how_far_the_integrals_are_known_is_printed():
    text = printed(drive_sizing(hoist()))
    line = next(one for one in text.splitlines() if one.startswith("sizing"))
    # at the corner half a step of 60 W, and of 48 W
    assert "delivered and regenerated energy within 0.03 J" in line
    assert "RMS torque within" in line


def test_a_drive_without_ratings_has_a_dash_and_no_word_on_ratings():
    text = printed(drive_sizing(hoist()))
    assert row(text, "winch")[-3:] == ["-", "-", "-"]
    assert "rating" not in text
    assert "compare the peak torque with a peak rating" in printed(drive_sizing(hoist(effort=50.0)))


def test_a_margin_without_bounds_is_not_written_out():
    assert row(printed(drive_sizing(hoist(effort=1e6))), "winch")[-3] == ">1000"
    still = hoist(velocity=1.0)
    still = replace(still, recorded=still.recorded.assign(**{"qd.winch": 0.0}))
    assert row(printed(drive_sizing(still)), "winch")[-1] == ">1000"


def test_a_run_without_drives_has_nothing_to_size():
    assert drive_sizing(with_settings(hoist(), free=("winch",))) == []


def test_the_balance_of_both_tables_is_printed():
    text = printed(energy_audit(hoist()))
    for name in ("recorded", "analytic"):
        words = " ".join(row(text, name))
        balance, residual, _, relative, limit = re.fullmatch(
            r"(.*) (\S+) J at (\S+) s (\S+) (\S+)", words
        ).groups()
        assert balance == f"{name} 12 J -12 J 0 J 0 J = 0 J + 0 J"
        assert float(residual) < 1e-12
        assert float(relative) < 1e-13
        assert float(limit) == 1e-6
    assert "balance" not in text
    assert "event   " not in text


def test_a_lost_balance_is_told_with_the_time_since_when():
    run = hoist()
    table = run.recorded.assign(pe=run.recorded["pe"] + np.where(T >= 1.5, 1.0, 0.0))
    text = printed(energy_audit(replace(run, recorded=table)))
    assert "energy   the recorded run is out of balance from 1.5 s on\n" in text
    assert "the analytic run does not" not in text
    assert "1.0e+00 J" in text


def test_events_are_told_with_what_they_brought():
    text = printed(energy_audit(hoist().with_description(events=(EVENT,))))
    wanted = "set down of box (2.5 kg) at 1.000 s: kinetic energy -1.25 J, potential -30 J"
    assert f"event    {wanted}\n" in text
    assert row(text, "recorded")[7:9] == ["-31.25", "J"]


def test_values_that_are_no_numbers_are_told_too():
    broken = spoiled(spoiled(hoist(effort=50.0), "tau.winch", math.nan, 300), "ke", math.nan, 300)
    assert "nan N·m" in printed(drive_sizing(broken))
    assert "nan J at 0.300 s" in printed(energy_audit(broken))


def test_a_narrow_terminal_keeps_the_peak_torque_and_the_whole_balance():
    run = hoist(effort=50.0).with_description(events=(EVENT,))
    balance = ("12 J", "-12 J", "= 0 J", "+ 0 J", "-31.25 J")
    for part, kept in ((drive_sizing(run), ("20 N·m",)), (energy_audit(run), balance)):
        text = printed(part[:1], width=80)
        assert max(map(len, text.splitlines())) <= 80
        assert "hidden columns" in text
        assert [words for words in kept if words not in text] == []
        assert "…" not in text


def test_at_most_so_many_drives_are_printed():
    run = hoist()
    sized = sizing(run) * 3
    text = printed(sizing_and_energy.drive_sizing(run.with_description(sizing=sized).run, 2))
    assert text.count("winch") == 2
    assert "hidden rows (limit 2): 1 of 3" in text
