"""Figure of expressions over a run's channels: recorded over analytic, or their spectra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.curves.curve import Curve
from sim.curves.spectrum import Spectrum
from sim.maths.arrays import Array
from sim.recording.files.named_file import MARK
from sim.recording.plot_style import ANALYTIC, FAINT, RECORDED, STYLE, frame
from sim.showing.one_line import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 7.0, 1.9  # size of a panel [inch]
LONGEST = 90  # largest number of characters of an expression above its panel
DPI = 150
SEEN = 0.01  # share of the highest line; the figure ends where all later lines are lower
DECADES = 6  # decades over which a density is drawn
LOOKS: tuple[Any, ...] = (
    {"color": RECORDED, "linewidth": 2.2, "alpha": 0.75},
    {"color": ANALYTIC, "linewidth": 0.9, "dashes": (4, 3)},
)
OTHERS: tuple[Any, ...] = tuple(  # colours of Okabe and Ito
    {"color": colour, "linewidth": 1.4}
    for colour in ("#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")
)


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves or spectra of one expression.

    Parameters
    ----------
    text : str
        The expression.
    drawn : mapping of str to Curve or Spectrum
        By label in the legend; the first is drawn in front.
    remark : str
        Text next to the expression.
    x_label : str
        Title of the horizontal axis of curves.
    x : mapping of str to ndarray or None
        Abscissa of each curve, by its label (default: its times).
    """

    text: str
    drawn: Mapping[str, Curve | Spectrum]
    remark: str
    x_label: str = "time [s]"
    x: Mapping[str, Array | None] = field(default_factory=dict)


def figure_bytes(panels: Sequence[Panel], title: str, suffix: str) -> bytes:
    """Return the figure as a file of type ``.png``, ``.svg`` or ``.pdf``."""
    import matplotlib as mpl

    kind = suffix.removeprefix(".")
    mark = MARK.decode()
    metadata = {
        "png": {"Software": mark},
        "svg": {"Creator": mark, "Date": None},
        "pdf": {"Creator": mark, "CreationDate": None},
    }[kind]
    buffer = BytesIO()
    with mpl.rc_context(STYLE):
        _figure(panels, title).savefig(buffer, format=kind, dpi=DPI, metadata=metadata)
    return buffer.getvalue()


def _figure(panels: Sequence[Panel], title: str) -> Figure:
    from matplotlib.figure import Figure

    size = (WIDTH, HEIGHT * len(panels) + 0.7)
    figure = Figure(figsize=size, layout="constrained")
    axes: Sequence[Axes] = list(figure.subplots(len(panels), 1, squeeze=False)[:, 0])
    figure.suptitle(shorten(title, LONGEST), x=0.01, ha="left", fontsize=10)
    for axis, panel in zip(axes, panels, strict=True):
        _draw(axis, panel)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=len(labels), frameon=False)
    return figure


def _draw(axis: Axes, panel: Panel) -> None:
    ones = list(panel.drawn.items())
    first = ones[0][1]
    for (label, one), look in zip(ones, (*LOOKS, *OTHERS), strict=False):
        known = panel.x.get(label)
        x = one.f if isinstance(one, Spectrum) else one.t if known is None else known
        axis.plot(x, one.values, label=label, **look)
    if isinstance(first, Spectrum):
        axis.set_xlim(0, _last_seen(first))
        axis.set_xlabel("frequency [Hz]")
        if first.density and (highest := float(np.max(first.values))) > 0:
            axis.set_yscale("log")
            axis.set_ylim(highest / 10**DECADES, 2 * highest)
        else:
            axis.set_ylim(bottom=0)
    else:
        axis.set_xlabel(panel.x_label)
        frame(axis, _finite(first.values))
    if axis.get_yscale() == "linear":  # a factor above the axis would cover the remark
        axis.yaxis.set_major_formatter("{x:.6g}")
    axis.set_ylabel(f"[{first.unit}]")
    axis.set_title(shorten(panel.text, LONGEST), fontweight="bold", y=1.0, pad=14)
    axis.annotate(
        panel.remark.replace("-", "\N{MINUS SIGN}"),
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 4),
        textcoords="offset points",
        fontsize=7.5,
        color=FAINT,
    )


def _last_seen(spectrum: Spectrum) -> float:
    """Return the upper frequency of a spectrum's plot: 1.5 times that of the last visible line."""
    power = 2 if spectrum.density else 1
    lines = spectrum.values[1:]
    visible = np.flatnonzero(lines > SEEN**power * np.max(lines, initial=0.0))
    last = float(spectrum.f[visible[-1] + 1]) if visible.size else spectrum.step
    return float(min(max(1.5 * last, 10 * spectrum.step), spectrum.f[-1]))


def _finite(values: Array) -> Array:
    finite = values[np.isfinite(values)]
    return finite if finite.size else np.zeros(1)
