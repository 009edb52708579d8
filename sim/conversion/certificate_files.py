"""A certificate as a page and as a JSON document next to the written file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from sim.conversion.certificate import Certificate
from sim.conversion.comparison import SAME, TorqueComparison
from sim.recording.files.named_file import MARK, require_place, write_named
from sim.recording.files.whole_files import json_text
from sim.reports.page.standalone import render


def places_of(out: Path) -> tuple[Path, Path]:
    """Return the paths of page and document of the certificate of a file."""
    page, document = (out.with_name(f"{out.name}.certificate{end}") for end in (".html", ".json"))
    return page, document


def require_places(out: Path) -> None:
    """Check that the certificate of a file can be written.

    Raises
    ------
    RecordingError
        If it cannot, or another file is in its place.
    """
    for place in places_of(out):
        require_place(place)


def write_certificate(certificate: Certificate) -> tuple[Path, Path]:
    """Write page and document.

    Raises
    ------
    RecordingError
        If one cannot be written, or another file is in its place.
    """
    page, document = places_of(Path(certificate.out))
    html = render("certificate.html.j2", c=certificate, same=SAME, rows=_rows(certificate))
    write_named(page, html.encode("utf-8"))
    write_named(document, f"{json_text(describe(certificate), 1)}\n".encode())
    return page, document


def describe(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate as plain values, for JSON."""
    joints = zip(certificate.joints, certificate.units, certificate.peaks.tolist(), strict=True)
    return {
        "provenance": MARK.decode(),
        "source": {"file": certificate.source, "format": certificate.formats[0]}
        | _digest(certificate.source),
        "written": {"file": certificate.out, "format": certificate.formats[1]}
        | _digest(certificate.out),
        "ok": certificate.ok,
        "verdict": certificate.verdict,
        "states": certificate.states,
        "tolerance": SAME,
        "joints": [{"name": name, "unit": unit, "peak": peak} for name, unit, peak in joints],
        "comparisons": [_describe(one) for one in certificate.comparisons],
        "omissions": list(certificate.omissions),
        "notes": list(certificate.notes),
    }


def _digest(file: str) -> dict[str, str]:
    path = Path(file)
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()} if path.is_file() else {}


def _describe(one: TorqueComparison) -> dict[str, Any]:
    return {
        "program": one.program,
        "version": one.version,
        "file": "original" if one.of_original else "written",
        "decides": one.is_judged,
        "agrees": one.agrees,
        "errors": None if one.errors is None else one.errors.tolist(),
        "reason": one.reason,
    }


def _rows(certificate: Certificate) -> list[tuple[str, str, list[str]]]:
    """Return joint, peak, and the error of each program that has torques."""
    by = [one.errors for one in certificate.comparisons if one.errors is not None]
    return [
        (name, f"{certificate.peaks[k]:.4g} {certificate.units[k]}", [f"{e[k]:.0e}" for e in by])
        for k, name in enumerate(certificate.joints)
    ]
