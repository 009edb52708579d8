"""Plan: everything that a worker must know to compute any case of a study."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sim.recording.files import json_text, sha256
from sim.recording.methods import MethodName
from sim.recording.provenance import of_this_process, text_hash
from sim.scenario.scenario import Scenario
from sim.scenario.script import Script
from sim.studies.responses import Asked
from sim.studies.tolerances import Tolerance


@dataclass(frozen=True)
class Plan:
    """The scenario, what is set in all cases, and what is asked of each.

    Parameters
    ----------
    script, script_sha256 : str
        Path of the scenario's script, and its hash.
    settings : mapping of str to object
        Of the parameters that are the same in all cases.
    method, dt : optional
        In the place of the scenario's own.
    responses : tuple of Asked
    tolerances : tuple of Tolerance
    seed : int
    fingerprint : str
        Hash of all that decides the result of a case, but its values.
    folder : str
        Of the study, as an absolute path.
    """

    script: str
    script_sha256: str
    settings: Mapping[str, object]
    method: MethodName | None
    dt: float | None
    responses: tuple[Asked, ...]
    tolerances: tuple[Tolerance, ...]
    seed: int
    fingerprint: str
    folder: str


def versions() -> dict[str, str]:
    """Version of everything that can change a number, this package's own code among it."""
    return {"python": of_this_process().python, **of_this_process().versions, "code": _code()}


def _code() -> str:
    """Hash of the package's own files, in twelve digits."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def identity_of(
    script: Script,
    base: Scenario,
    settings: Mapping[str, object],
    method: MethodName | None,
    dt: float | None,
    responses: tuple[Asked, ...],
    tolerances: tuple[Tolerance, ...],
    seed: int,
) -> dict[str, object]:
    """What a finished case may be taken over for: all that decides its result but its values."""
    files = {one.file: sha256(Path(one.file)) for one in responses if one.file}
    return {
        "script": sha256(script.path),
        "robot": text_hash(base.robot.text),
        "settings": {name: settings[name] for name in sorted(settings)},
        "method": method or base.method,
        "dt": dt or "the scenario's own",
        "responses": [one.text for one in responses],
        "functions": files,
        "tolerances": [one.text for one in tolerances],
        "seed": seed if tolerances else None,
        "versions": versions(),
    }


def fingerprint_of(identity: Mapping[str, object]) -> str:
    """Hash of an identity."""
    return hashlib.sha256(json_text(identity).encode()).hexdigest()
