"""Page of motors and gears for a run: one self-contained HTML file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from markupsafe import Markup

from sim.maths.arrays import Array
from sim.recording.files.named_file import write_named
from sim.reports.page.quantity import number
from sim.reports.page.standalone import asset, provenance_rows, render
from sim.reports.svg.chart import Chart
from sim.showing.shares import share_text
from sim.sizing.choice import MotorChoice, MotorSizing
from sim.sizing.shaft import shaft_motion
from sim.sizing.to_terminal import sentences

SIZE = 420, 272  # px
LEFT, RIGHT, TOP, BELOW = 52, 20, 22, 38
ROOM = 1.06  # of the larger of ratings and motion
NEAR = 0.4  # px; closer points of a curve are left out
RPM = math.pi / 30  # rad/s

TEMPLATE = Path(__file__).with_name("template")


def picture(choice: MotorChoice) -> Markup:
    """Draw a joint's motor: magnitude of speed, and torque, negative while braking."""
    motor, load = choice.pair.motor, choice.load
    speed = ROOM * max(motor.highest_speed, load.peak_speed) / RPM
    torque = ROOM * max(motor.torque_peak, load.peak_torque)
    chart = Chart(*SIZE, LEFT, RIGHT, TOP, BELOW, (0.0, speed), (-torque, torque))
    rated, highest = motor.speed_rated / RPM, motor.highest_speed / RPM
    edge = [(0.0, motor.continuous_at(0.0)), (rated, motor.torque_continuous)]
    marks = [
        _region(chart, [(0.0, motor.torque_peak), (highest, motor.torque_peak)], "moment"),
        _region(chart, edge, "forever"),
        chart.grid(5, 9, x_title="speed [1/min]", y_title="torque [N·m], negative: braking"),
        chart.rule_y(0.0, "zero"),
        chart.line(*_motion(chart, choice), "motion"),
        chart.dot(load.mean_speed / RPM, load.rms_torque.value or 0.0, 4.5, "mean"),
    ]
    words = f"Torque over speed at the shaft of {motor.name} in {choice.joint}"
    return chart.drawing(marks, words, "shaft")


def _region(chart: Chart, edge: list[tuple[float, float]], cls: str) -> str:
    """Return the area between an edge and its reflection about zero torque."""
    mirrored = [(speed, -torque) for speed, torque in reversed(edge)]
    return chart.path([np.array([*edge, *mirrored])], cls, closed=True)


def _motion(chart: Chart, choice: MotorChoice) -> tuple[Array, Array]:
    """Return speeds and torques of the samples, thinned to the visible resolution."""
    shaft = shaft_motion(choice.duty, choice.pair)
    N = choice.duty.t.size
    sense = np.where(shaft.speed[:N] < 0, -1.0, 1.0)
    speed, torque = np.abs(shaft.speed[:N]) / RPM, sense * shaft.torque[:N]
    indices: list[int] = []
    last = (-math.inf, -math.inf)
    for k in range(N):
        here = chart.across(float(speed[k])), chart.up(float(torque[k]))
        if math.dist(here, last) >= NEAR:
            indices.append(k)
            last = here
    return speed[indices], torque[indices]


def write_page(sizing: MotorSizing, path: Path) -> None:
    """Write the page.

    Raises
    ------
    RecordingError
        If the file cannot be written, or an existing file was not written by sim.
    """
    write_named(path, page(sizing).encode("utf-8"), ".html")


def page(sizing: MotorSizing) -> str:
    """Return the HTML of the page."""
    return render(
        "sizing.html.j2",
        TEMPLATE,
        extra=asset("charts.css") + asset("sizing.css", TEMPLATE),
        title=f"Motors and gears for {sizing.scenario}",
        ok=sizing.holds,
        choices=[
            (choice, picture(choice), _figures(choice), _shares(choice, 1.0 - sizing.reserve))
            for choice in sizing.choices
        ],
        notes=[(label, text) for label, text, _ in sentences(sizing)],
        provenance=provenance_rows(),
    )


def _shares(choice: MotorChoice, most: float) -> list[tuple[str, str, int, bool]]:
    """Return rating, share as text and in per cent, and whether it is exceeded; largest first."""
    order = sorted(choice.shares.items(), key=lambda item: -item[1])
    return [
        (name, share_text(share), round(100 * min(share, 1.0)), share > most)
        for name, share in order
    ]


def _figures(choice: MotorChoice) -> list[tuple[str, str]]:
    load, ratio = choice.load, choice.inertia_ratio
    rms, back = load.rms_torque, load.regenerated
    rows = [
        ("Peak torque", f"{number(load.peak_torque)} N·m"),
        ("RMS torque", f"{number(rms.value)} ± {number(rms.error, 1)} N·m"),
        ("Mean torque", f"{number(load.mean_torque)} N·m"),
        ("Peak speed", f"{number(load.peak_speed / RPM)} 1/min"),
        ("Mean speed", f"{number(load.mean_speed / RPM)} 1/min"),
        ("Peak power", f"{number(load.peak_power)} W"),
        ("Mean power", f"{number(load.mean_power)} W"),
        ("Regenerated energy", f"{number(back.value)} ± {number(back.error, 1)} J"),
        ("Torque of the rotor inertia", f"{share_text(load.rotor_share)} of the peak"),
        ("Gear peak torque", f"{number(load.gear_peak)} N·m"),
        ("Gear mean torque", f"{number(load.gear_mean)} N·m"),
    ]
    if ratio is not None:
        rows.append(("Inertia ratio, links / rotor", f"{number(ratio, 3)}"))
    if choice.smaller is not None and choice.smaller_lacks is not None:
        name, share = choice.smaller_lacks
        rows.append(("Next smaller pair", f"{choice.smaller.name}: {name} {share_text(share)}"))
    return rows
