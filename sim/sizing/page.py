"""Page of motors and gears for a run: one self-contained HTML file."""

from __future__ import annotations

import math
from pathlib import Path

from sim.recording.files.named_file import write_named
from sim.reports.page.quantity import number
from sim.reports.page.standalone import asset, provenance_rows, render
from sim.showing.shares import share_text
from sim.sizing.choice import MotorChoice, MotorSizing
from sim.sizing.picture import picture
from sim.sizing.to_terminal import sentences

TEMPLATE = Path(__file__).with_name("template")
RPM = math.pi / 30  # rad/s


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
