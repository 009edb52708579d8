import itertools
import re

import numpy as np
import pytest

from sim.reports.page.standalone import asset

# Machado, Oliveira and Fernandes 2009, severity 1.0: how linear RGB is seen.
SEEN = {
    "all": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


def linear(colour):
    """Linear RGB of a colour such as ``0072b2``."""
    v = np.array([int(colour[k : k + 2], 16) for k in (0, 2, 4)]) / 255
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* of linear RGB."""
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def themes():
    style = asset("style.css")
    found = re.findall(r"--part\d: #([0-9a-f]{6})", style)
    assert len(found) == 12
    return {"light": ("ffffff", found[:6]), "dark": ("15181c", found[6:])}


@pytest.mark.parametrize("sight", SEEN)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_curves_of_one_plot_are_told_apart_by_every_eye(theme, sight):
    _, colours = themes()[theme]
    seen = [lab(np.array(SEEN[sight]) @ linear(c)) for c in colours]
    apart = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert min(apart) > 20  # CIE 1976 differences; 2.3 is just seen by a trained eye


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_curves_stand_out_from_their_ground(theme):
    ground, colours = themes()[theme]
    for one in colours:
        low, high = sorted(TO_XYZ[1] @ linear(c) for c in (one, ground))
        assert (high + 0.05) / (low + 0.05) >= 3, one  # WCAG 2.2, success criterion 1.4.11
