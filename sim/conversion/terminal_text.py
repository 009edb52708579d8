"""A certificate for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from sim.conversion.certificate import Certificate
from sim.conversion.comparison import SAME, TorqueComparison

SHOWN = 12
"""Lines on what the file does not have; the page and the document have all."""


def certificate_lines(certificate: Certificate) -> Iterator[str]:
    """Yield the verdict, the result of each program, and the omissions of the file."""
    source, out = certificate.formats
    yield f"{certificate.source} ({source}) -> {certificate.out} ({out})"
    yield f"M qdd + C qd + g at {certificate.states} states, difference over each joint's largest"
    for one in certificate.comparisons:
        file = "original" if one.of_original else "written"
        decides = "decides" if one.is_judged else ""
        line = f"  {one.program:<11}{one.version:<9}{file:<10}{_result(one):<15}{decides}"
        yield line.rstrip()
        if one.reason and one.is_installed:
            yield f"    {one.reason}"
    for line in certificate.omissions[:SHOWN]:
        yield f"not written: {line}"
    if (more := len(certificate.omissions) - SHOWN) > 0:
        yield f"not written: {more} more, in the certificate"
    for note in certificate.notes:
        yield f"note: {note}"
    yield f"{'ok' if certificate.ok else 'FAILED'}: {certificate.verdict} (limit {SAME:g})"


def _result(one: TorqueComparison) -> str:
    if one.worst is None:
        return "refuses" if one.is_installed else "not installed"
    return f"{one.worst:.0e}"
