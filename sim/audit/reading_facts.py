"""Measured readings of features of robot files by other programs: `readings.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct

REFUSED = "error"
_TABLE: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("readings.toml").read_text(encoding="utf-8")
)


class Feature(Struct, frozen=True):
    """A feature of robot files, and its reading by each program.

    Parameters
    ----------
    key : str
        Keyword.
    title : str
        Description of the feature.
    by_program : mapping of str to str
        Reading of each program that reads the format, in a few words; "error" is a refusal.
    remedy : str
        Notation that all programs read alike, or the call that reads it.
    """

    key: str
    title: str
    by_program: Mapping[str, str]
    remedy: str


def _features(form: str) -> Mapping[str, Feature]:
    """Return the features of a format by their keys."""
    features = {}
    for row in _TABLE[form]:
        readings = row["readings"]
        by_program = {
            program: readings.get(program) or readings["all"]
            for program in _TABLE["programs"][form]
        }
        features[row["key"]] = Feature(row["key"], row["title"], by_program, row["remedy"])
    return MappingProxyType(features)


# Package of each program, and the measured version.
MEASURED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {program: (package, version) for program, (package, version) in _TABLE["measured"].items()}
)
URDF_FEATURES, MJCF_FEATURES, SDF_FEATURES = map(_features, ("urdf", "mjcf", "sdf"))
