"""A sound robot file, and the same as a CAD program writes it that knows no units."""

import math
import re

import numpy as np

from sim import shipped

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
# ranges, an orientation and a speed that are whole in degrees, so that a file may be in them
TURNED = (
    SOUND.replace('lower="-2.5" upper="2.5"', f'lower="{-math.radians(150)!r}" upper="2.0"')
    .replace('upper="2.0"', f'upper="{math.radians(150)!r}"')
    .replace('lower="-3', f'lower="{-math.radians(170)!r}" was="-3')
)
TURNED = re.sub(r' was="[^"]*" upper="[^"]*"', f' upper="{math.radians(170)!r}"', TURNED)


def rewritten(text, attribute, factor):
    """The text with the numbers of an attribute multiplied."""

    def scaled(found):
        numbers = " ".join(f"{float(v) * factor:.12g}" for v in found[2].split())
        return f'{found[1]}"{numbers}"'

    return re.sub(rf'(\b{attribute}=)"([^"]*)"', scaled, text)


def in_cad_units(text):
    """The text as a CAD program writes it that was told nothing: mm, degrees, kg·mm²."""
    origins = re.sub(r"<origin [^>]*>", lambda m: rewritten(m[0], "xyz", 1e3), text)
    for attribute in ("size",):
        origins = rewritten(origins, attribute, 1e3)
    for attribute in ("ixx", "iyy", "izz"):
        origins = rewritten(origins, attribute, 1e6)
    for attribute in ("lower", "upper"):
        origins = rewritten(origins, attribute, 180 / np.pi)
    return origins
