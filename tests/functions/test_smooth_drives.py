"""Smooth drives are never refused, and their integrals are right to rounding of what they add up.

The drives are random: sums of terms whose integral over the run has a closed form. Half of them
start at zero because their terms cancel there, as drives that start at rest do.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from sim.errors import ScenarioError
from sim.functions.expression import expression
from sim.functions.integral import antiderivative

DRIVES = 1000


@dataclass(frozen=True)
class Term:
    """A function's text, its integral from 0 to T, its value at 0, and the largest it adds up."""

    text: str
    integral: float
    start: float
    size: float


def uniform(random: np.random.Generator, low: float, high: float) -> float:
    return float(random.uniform(low, high))


def rate(random: np.random.Generator, T: float) -> float:
    """An angular velocity from a thousandth of a wave to twenty waves in the run [rad/s]."""
    return float(10 ** random.uniform(-3, 1.3)) * 2 * math.pi / T


def wave(random: np.random.Generator, T: float) -> Term:
    a, w, p = uniform(random, -3, 3), rate(random, T), uniform(random, -200, 200)
    integral = 2 * a / w * math.sin(w * T / 2) * math.sin(w * T / 2 + p)
    return Term(f"{a!r}*SIN({w!r}*time+{p!r})", integral, a * math.sin(p), abs(a))


def product(random: np.random.Generator, T: float) -> Term:
    a, p, r = uniform(random, -3, 3), uniform(random, -200, 200), uniform(random, -200, 200)
    v, w = rate(random, T), rate(random, T)
    text = f"{a!r}*SIN({v!r}*time+{p!r})*COS({w!r}*time+{r!r})"

    def half(x: float, phase: float) -> float:  # ∫ sin(x t + phase)
        return T * float(np.sinc(x * T / 2 / math.pi)) * math.sin(x * T / 2 + phase)

    integral = a / 2 * (half(v + w, p + r) + half(v - w, p - r))
    return Term(text, integral, a * math.sin(p) * math.cos(r), abs(a))


def fading(random: np.random.Generator, T: float) -> Term:
    a, k, w = uniform(random, -3, 3), uniform(random, 0, 10) / T, rate(random, T)
    p = uniform(random, -200, 200)
    exponent, begin = complex(-k, w), complex(math.cos(p), math.sin(p))
    integral = a * (begin * complex(np.expm1(exponent * T)) / exponent).imag
    text = f"{a!r}*EXP(-{k!r}*time)*SIN({w!r}*time+{p!r})"
    return Term(text, integral, a * math.sin(p), abs(a))


def settling(random: np.random.Generator, T: float) -> Term:
    a, tau = uniform(random, -3, 3), T * float(10 ** random.uniform(-2, 2))
    integral = a * (T + tau * math.expm1(-T / tau))
    return Term(f"{a!r}*(1-EXP(-time/{tau!r}))", integral, 0.0, abs(a))


def polynomial(random: np.random.Generator, T: float) -> Term:
    a, c, n = uniform(random, -3, 3), uniform(random, -1, 2) * T, int(random.integers(1, 6))
    integral = a / (n + 1) * ((T - c) ** (n + 1) - (-c) ** (n + 1))
    size = abs(a) * max(abs(c), abs(T - c)) ** n
    return Term(f"{a!r}*(time-({c!r}))**{n}", integral, a * (-c) ** n, size)


def profile(random: np.random.Generator, T: float) -> Term:
    name = str(random.choice(["STEP", "STEP5", "HAVSIN"]))
    begin, end = sorted(random.uniform(0, T, 2).tolist())
    before, after = uniform(random, -3, 3), uniform(random, -3, 3)
    integral = before * T + (after - before) * (T - (begin + end) / 2)
    text = {
        "STEP": f"STEP(time,{begin!r},{before!r},{end!r},{after!r})",
        "STEP5": f"STEP5(time,{begin!r},{before!r},{end!r},{after!r})",
        "HAVSIN": f"HAVSIN(time,{begin!r},{before!r},{end!r},{after!r})",
    }[name]
    return Term(text, integral, before, max(abs(before), abs(after)))


def hump(random: np.random.Generator, T: float) -> Term:
    a, c, width = uniform(random, -3, 3), uniform(random, -1, 2) * T, uniform(random, 0.05, 3) * T
    integral = a * width * (math.atan((T - c) / width) + math.atan(c / width))
    text = f"{a!r}/(1+((time-({c!r}))/{width!r})**2)"
    return Term(text, integral, a / (1 + (c / width) ** 2), abs(a))


KINDS: list[Callable[[np.random.Generator, float], Term]] = [
    wave,
    wave,
    product,
    fading,
    settling,
    polynomial,
    profile,
    hump,
]


@pytest.mark.parametrize("part", range(10))
def test_no_smooth_drive_is_refused_and_each_integral_is_right(part):
    random = np.random.default_rng(20260 + part)
    for _ in range(DRIVES // 10):
        T = float(10 ** random.uniform(math.log10(0.02), 2))
        chosen = random.integers(0, len(KINDS), int(random.integers(1, 4)))
        terms = [KINDS[kind](random, T) for kind in chosen]
        constant = uniform(random, -3, 3)
        if random.random() < 0.5:
            constant = -sum(term.start for term in terms)  # it starts at rest: they cancel
        text = "+".join([repr(constant), *(f"({term.text})" for term in terms)])
        want = constant * T + sum(term.integral for term in terms)
        scale = T * (abs(constant) + sum(term.size for term in terms))
        got = float(antiderivative(expression(text), 0.0, T).value(T))
        assert abs(got - want) <= 1e-12 * scale, f"{text} over {T!r} s"


@pytest.mark.parametrize(
    ("text", "T", "want"),
    [
        ("30d-0.5235987755982988*COS(0.2*time)", 1.0, math.pi / 6 * (1 - math.sin(0.2) / 0.2)),
        ("1-COS(time)", 0.1, 0.1**3 / 6 - 0.1**5 / 120 + 0.1**7 / 5040),
        ("COS(1000*PI+time)-1", 1.0, math.sin(1.0) - 1.0),
        ("SIN(2*PI*(time-3))", 0.1, (1 - math.cos(0.2 * math.pi)) / (2 * math.pi)),
    ],
)
def test_drives_that_cancel_are_not_refused(text, T, want):
    path = antiderivative(expression(text), 0.0, T)
    assert float(path.value(T)) == pytest.approx(want, rel=1e-12, abs=1e-14)
    assert path.edges.size <= 33  # and are not cut up


@pytest.mark.parametrize(
    ("text", "T"),
    [
        ("SIN(1e8*time)", 10.0),
        ("1+SIN(1e8*time)", 10.0),
        ("1+1e-3*SIN(1e8*time)", 10.0),
        ("SIN(1/(time-3.3))", 10.0),
        ("TAN(time)", 2.0),
        ("1/(time-0.3)", 1.0),
        ("1+1e-5/(time-0.3)", 1.0),
    ],
)
def test_what_is_wild_is_still_refused(text, T):
    with pytest.raises(ScenarioError, match=r"varies too fast|not finite"):
        antiderivative(expression(text), 0.0, T)
