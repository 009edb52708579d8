"""`sim plot`: expressions of a run's channels as a table, a figure, a file or JSON."""

from __future__ import annotations

import argparse
import re
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.cli.arguments import RUN_HELP, add_flag, add_json, add_number, add_repeated
from sim.cli.exit_status import WELL
from sim.errors import CurveError

if TYPE_CHECKING:
    from sim.curves.curve import Curve
    from sim.curves.spectrum import Spectrum
    from sim.maths.arrays import Array
    from sim.recording.recording import Recording

FIGURES = (".png", ".svg", ".pdf")
MOST = 12  # panels of a figure
LINES = 5  # of a spectrum, in the table


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument(
        "expressions",
        nargs="+",
        metavar="EXPR",
        help="expression such as 'tau.elbow_joint*qd.elbow_joint', 'DIF(q.elbow_joint)', "
        "'INTEGRAL(power.elbow_joint)', or a channel pattern such as 'tau.*'",
    )
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="write a figure (.png .svg .pdf) or samples (.csv)"
    )
    add_repeated(
        command,
        "--with",
        "RUN",
        f"another run in the same plot; repeatable: {RUN_HELP}",
        dest="others",
    )
    command.add_argument(
        "--over", metavar="EXPR", help="horizontal axis, such as q.elbow_joint (default: time)"
    )
    command.add_argument(
        "--filter",
        metavar="FREQUENCY",
        help="cut-off of a zero-phase Butterworth low-pass (filtfilt), such as 10Hz; -6 dB there",
    )
    command.add_argument(
        "--order", type=int, metavar="N", help="filter order per pass (default: 4)"
    )
    add_flag(command, "--fft", "compute the amplitude spectrum")
    add_flag(command, "--psd", "compute the power spectral density")
    command.add_argument(
        "--window",
        metavar="NAME",
        help="window of --fft and --psd: hann, hamming, blackman, flattop, boxcar (default: hann)",
    )
    add_number(command, "--from", "S", "start time [s] (default: 0)", dest="start")
    add_number(command, "--to", "S", "end time [s] (default: end of the run)", dest="end")
    add_json(command)
    command.set_defaults(action=plot_curves)


@dataclass(frozen=True)
class _Plotted:
    """One expression of a run, recorded and analytic.

    `run` is empty for the first run; `over` is the abscissa at its own times, or None.
    """

    text: str
    recorded: Curve
    analytic: Curve
    run: str = ""
    over: Array | None = None

    @property
    def difference(self) -> Curve:
        from sim.curves.curve import Curve

        difference = self.recorded.values - self.analytic.values
        return Curve(self.recorded.t, difference, self.recorded.unit, self.text)


@dataclass(frozen=True)
class _Plot:
    """Curves of the first run and of others, their spectra if requested, and what they are over."""

    recording: Recording
    curves: list[_Plotted]
    spectra: list[dict[str, Spectrum]]
    over: str | None

    @property
    def over_title(self) -> str:
        """Title of the horizontal axis, with its unit."""
        if self.over is None:
            return "time [s]"
        unit = self.recording.math(self.over).unit
        return self.over if unit == "1" else f"{self.over} [{unit}]"


def plot_curves(options: argparse.Namespace) -> int:
    """Print statistics of the curves, and write the curves to a named file."""
    from sim.cli.output import print_json
    from sim.cli.runs import explain_mismatch
    from sim.recording.files.run_folders import find_run
    from sim.recording.recording import Recording
    from sim.reports.page.overlay_labels import overlay_labels

    _check(options)
    folder, *others = [find_run(name) for name in (options.run, *options.others)]
    with explain_mismatch(folder, *others):
        recording = Recording.read(folder)
        cut = _all_curves(recording, "", options)
        laid_over = [Recording.read(other) for other in others]
        for other, label in zip(laid_over, overlay_labels(recording, laid_over), strict=True):
            cut += _all_curves(other, label, options)
        plot = _Plot(recording, cut, _spectra(cut, options), options.over)
        if options.out is not None:
            _write(options.out, plot)
        if options.json:
            print_json(_document(plot, str(folder)))
        else:
            _print(plot, options)
    return WELL


def _check(options: argparse.Namespace) -> None:
    """Refuse options that exclude each other, before a long run is read."""
    from sim.recording.files.named_file import require_place

    is_spectrum = options.fft or options.psd
    if options.fft and options.psd:
        raise CurveError("--fft and --psd: choose one, amplitudes or a density")
    if options.window is not None and not is_spectrum:
        raise CurveError("--window requires --fft or --psd")
    if options.over is not None and is_spectrum:
        raise CurveError("--over does not apply to --fft and --psd")
    if options.order is not None and options.filter is None:
        raise CurveError("--order requires --filter")
    if options.out is not None:
        suffix = options.out.suffix.lower()
        if suffix not in (*FIGURES, ".csv"):
            allowed = ", ".join((*FIGURES, ".csv"))
            raise CurveError(f"--out {options.out}: unknown file type; allowed: {allowed}")
        require_place(options.out, _kind(options.out, is_spectrum=is_spectrum))


def _kind(path: Path, *, is_spectrum: bool) -> str:
    suffix = path.suffix.lower()
    return "spectrum.csv" if is_spectrum and suffix == ".csv" else suffix


def _texts(recording: Recording, options: argparse.Namespace) -> list[str]:
    """Return the expressions; a pattern is replaced by its matching channels."""
    from fnmatch import fnmatchcase

    from sim.curves.language import quote

    channels = [str(name) for name in recording.recorded.columns]
    texts: list[str] = []
    for text in options.expressions:
        matched = [name for name in channels if fnmatchcase(name, text)]
        if not matched and re.search(r"(?<![0-9])\.\*|\*$|\?", text):
            groups = ", ".join(dict.fromkeys(name.partition(".")[0] for name in channels))
            raise CurveError(f"No channel matches {text!r}; groups of channels: {groups}")
        texts += [quote(name) for name in matched] or [text]
    if options.filter is not None:
        cutoff, order = _frequency(options.filter), options.order
        texts = [f"FILTER({text}, {cutoff:.9g}, {4 if order is None else order})" for text in texts]
    return list(dict.fromkeys(texts))


def _frequency(text: str) -> float:
    """Return a frequency such as ``10Hz`` or ``0.5`` [Hz]."""
    match = re.fullmatch(r"([0-9]++\.?[0-9]*+) ?(k?)(?:hz)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise CurveError(f"--filter must be a frequency such as 10Hz; got {text!r}")
    return float(match[1]) * (1e3 if match[2] else 1.0)


def _all_curves(recording: Recording, run: str, options: argparse.Namespace) -> list[_Plotted]:
    """Return the expressions over one whole run, then cut to the requested times."""
    import numpy as np

    t, curves = recording.t, list[_Plotted]()
    start = t[0] if options.start is None else options.start
    end = t[-1] if options.end is None else options.end
    over = None if options.over is None else recording.math(options.over)
    for text in _texts(recording, options):
        both = (recording.math(text, analytic=analytic) for analytic in (False, True))
        if options.start is not None or options.end is not None:
            both = (curve.between(start, end) for curve in both)
        recorded, analytic = both
        x = None if over is None else np.interp(recorded.t, over.t, over.values)
        curves.append(_Plotted(text, recorded, analytic, run, x))
    return curves


def _spectra(cut: list[_Plotted], options: argparse.Namespace) -> list[dict[str, Spectrum]]:
    """Return spectra of recorded and analytic curves by expression; empty unless requested."""
    if not (options.fft or options.psd):
        return []
    window = options.window or "hann"
    both = ({"recorded": one.recorded, "analytic": one.analytic} for one in cut)
    return [
        {name: curve.spectrum(window, density=options.psd) for name, curve in each.items()}
        for each in both
    ]


def _document(plot: _Plot, folder: str) -> dict[str, Any]:
    """Return the values that ``--json`` prints."""
    curves = []
    for k, one in enumerate(plot.curves):
        entry = {
            "expression": one.text,
            **({"run": one.run} if one.run else {}),
            "unit": one.recorded.unit,
            **asdict(one.recorded.statistics()),
            "peaks": [asdict(peak) for peak in one.recorded.peaks()],
            "without_value": sum(not isfinite(v) for v in one.recorded.values.tolist()),
            "sampling_error": one.recorded.error,
            "off_model": asdict(one.difference.statistics().peak),
        }
        if plot.spectra:
            lines = plot.spectra[k]["recorded"]
            entry["spectrum"] = {
                "kind": "density" if lines.density else "amplitude",
                "unit": lines.unit,
                "window": lines.window,
                "step": lines.step,
                "scalloping": lines.scalloping,
                "peaks": [{"f": f, "value": value} for f, value in lines.peaks(LINES)],
            }
        curves.append(entry)
    return {"scenario": plot.recording.run.scenario, "run": folder, "curves": curves}


def _print(plot: _Plot, options: argparse.Namespace) -> None:
    from sim.cli.output import console
    from sim.reports.terminal.curve_tables import (
        curve_table,
        gap_remark,
        spectrum_remark,
        spectrum_table,
    )

    out, cut = console(), plot.curves
    first = cut[0].recorded
    words = f"{plot.recording.run.scenario}  from {first.t[0]:.6g} to {first.t[-1]:.6g} s"
    out.print(words, highlight=False, markup=False)
    rows = [
        (f"{one.text}  {one.run}".rstrip(), one.recorded, one.difference) for one in plot.curves
    ]
    out.print(curve_table(rows), crop=False)
    for one in cut:
        if gaps := gap_remark(one.text, one.recorded):
            out.print(gaps, style="yellow", highlight=False, markup=False)
    if plot.spectra:
        lines = [lines["recorded"] for lines in plot.spectra]
        out.print(spectrum_table(lines, LINES), crop=False)
        out.print(spectrum_remark(lines[0]), highlight=False, markup=False)
    sampled = any(one.recorded.error != 0 for one in cut)
    more = ", plus the estimated sampling error" if sampled else ""
    words = f"± largest difference from the analytic model{more}"
    out.print(words, style="dim", highlight=False, markup=False)
    if options.out is not None:
        out.print(f"file     {options.out}", highlight=False, markup=False)


def _write(path: Path, plot: _Plot) -> None:
    """Write the figure or the table, by the suffix of the file."""
    from sim.recording.files.named_file import write_named

    kind = _kind(path, is_spectrum=bool(plot.spectra))
    write_named(path, _figure(path, plot) or _table(plot), kind)


def _table(plot: _Plot) -> bytes:
    """Return times or frequencies, then recorded and analytic values of each expression."""
    import numpy as np

    from sim.reports.exports.curves_file import columns_as_csv

    if plot.spectra:
        columns = {"f [Hz]": plot.spectra[0]["recorded"].f}
        for both in plot.spectra:
            for name, lines in both.items():
                columns[f"{lines.text} {name} [{lines.unit}]"] = lines.values
        return columns_as_csv(columns)
    t, over = plot.curves[0].recorded.t, plot.curves[0].over
    columns = {"t [s]": t}
    if over is not None:
        columns[plot.over_title] = over
    for one in plot.curves:
        name = f"{one.text} {one.run}".rstrip()
        for which, curve in (("recorded", one.recorded), ("analytic", one.analytic)):
            values = curve.values if len(curve.t) == len(t) else np.interp(t, curve.t, curve.values)
            columns[f"{name} {which} [{curve.unit}]"] = values
    return columns_as_csv(columns)


def _figure(path: Path, plot: _Plot) -> bytes:
    """Return the figure; empty if the file is a table.

    Raises
    ------
    CurveError
        If there are more expressions than a figure can hold.
    """
    suffix = path.suffix.lower()
    if suffix not in FIGURES:
        return b""
    from sim.engine_names import ENGINES
    from sim.reports.figures.curve_figure import Panel, figure_bytes
    from sim.reports.terminal.curve_tables import curve_remark, spectrum_remark

    cut, run = plot.curves, plot.recording.run
    if len({one.text for one in cut}) > MOST:
        raise CurveError(f"A figure shows at most {MOST} expressions; got {len(cut)}")
    labels = (f"recorded ({ENGINES[run.engine].title})", "analytic (Lagrange)")
    panels = []
    if plot.spectra:
        for one, both in zip(cut, plot.spectra, strict=True):
            lines = dict(zip(labels, both.values(), strict=True))
            panels.append(Panel(one.text, lines, spectrum_remark(both["recorded"])))
    else:
        for text in dict.fromkeys(one.text for one in cut):
            of_text = [one for one in cut if one.text == text]
            drawn = dict(zip(labels, (of_text[0].recorded, of_text[0].analytic), strict=True))
            x: dict[str, Array | None] = dict.fromkeys(labels, of_text[0].over)
            for one in of_text[1:]:
                drawn[one.run], x[one.run] = one.recorded, one.over
            remark = curve_remark(of_text[0].recorded)
            panels.append(Panel(text, drawn, remark, plot.over_title, x))
    return figure_bytes(panels, run.scenario, suffix)
