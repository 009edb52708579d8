"""Charts of Matplotlib as SVG that a page of strict policy shows, in the page's own colours.

Matplotlib is given stand-ins for the colours; here they become the page's variables, so that light,
dark and paper are one picture. Styles become attributes, which a Content-Security-Policy lets pass.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, INK2, GRID, RULE, MAIN, BAD, OK, SECOND, THIRD, PAGE = (
    f"#0{k:x}0{k:x}0{k + 1:x}" for k in range(1, 11)
)
VARIABLES: Mapping[str, str] = {
    INK: "--ink", INK2: "--ink2", GRID: "--grid", RULE: "--rule", MAIN: "--recorded", BAD: "--bad",
    OK: "--ok", SECOND: "--over1", THIRD: "--over3", PAGE: "--ground-page",
}  # fmt: skip
SERIES = (MAIN, SECOND, OK, THIRD, INK2)
POINTS = 72  # in an inch: texts of an SVG are measured in them, and so must be all else
PIXELS = 96  # of a page in an inch of a drawing
DASHES = ("-", "--", "-.", ":")

STYLE: Any = {
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK2,
    "axes.edgecolor": RULE,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-4, 5),
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": INK2,
    "ytick.labelcolor": INK2,
    "figure.facecolor": "none",
    "legend.frameon": False,
    "svg.hashsalt": "sim",
    "svg.fonttype": "none",
}


def chart(
    draw: Callable[[Axes], object], label: str, width: float = 4.3, height: float = 2.5
) -> str:
    """SVG of one chart.

    Parameters
    ----------
    draw : callable
        Draws into the axes.
    label : str
        What it shows, for whoever cannot see it.
    width, height : float
        [inch]
    """

    def drawn(figure: Figure) -> None:
        draw(figure.subplots())

    return figure_svg(drawn, label, width, height)


def figure_svg(draw: Callable[[Figure], object], label: str, width: float, height: float) -> str:
    """SVG of a whole figure; see `chart`."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as NewFigure

    with mpl.rc_context(STYLE):
        figure = NewFigure(figsize=(width, height), dpi=POINTS, layout="constrained")
        FigureCanvasAgg(figure)  # that of SVG leaves too little room for labels
        draw(figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _inlined(text.getvalue(), label, round(PIXELS * width))


def _inlined(svg: str, label: str, width: int) -> str:
    """The drawing as an element of a page."""
    from html import escape

    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' style="([^"]*)"', lambda found: _attributes(found[1]), svg)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(f'"{colour}"', f'"var({variable})"')
    opening, _, rest = svg.partition(">")
    box = re.search(r'viewBox="([^"]*)"', opening)
    size = "" if box is None else box[1]
    names = "" if "xlink:" not in rest else ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    return (
        f'<svg class="chart" width="{width}" viewBox="{size}"{names} role="img" '
        f'aria-label="{escape(label)}" stroke-linejoin="round" stroke-linecap="butt">'
        f"{_own_names(rest, label)}"
    )


def _attributes(style: str) -> str:
    """The attributes of a style; a font has its size only, the page has the rest."""
    found = {}
    for part in style.split(";"):
        name, _, value = (piece.strip() for piece in part.partition(":"))
        if name == "font":
            size = re.search(r"([\d.]+)px", value)
            found["font-size"] = size[1] if size else "9"
            if re.search(r"\b(bold|[67]00)\b", value):
                found["font-weight"] = "600"
        elif name:
            found[name] = value
    return "".join(f' {name}="{value}"' for name, value in found.items())


def _own_names(svg: str, label: str) -> str:
    """Names of parts that no other drawing of the page has."""
    import hashlib

    mark = hashlib.sha256((label + svg).encode()).hexdigest()[:8]
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{mark}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{mark}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}-\1)", svg)
