"""Measure how often intervals contain the truth: ``make coverage-of-intervals``, two minutes.

Each number must be inside in at least 85 of 100 seeds, and in 93 to 99 on average; for a payload of
0 kg only its mass; otherwise the exit status is 1. The data are a payload on the motion of a real
UR10 (`tests/identification/ur10`), known friction, and noise of four kinds with the magnitude of
the real log's residual: white, coloured by a low-pass of 1.7 Hz, the real residual with other
phases, steps of one deviation. Printed is the share of seeds in which the true value is inside, for
each number and on average.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from sim.curves import zero_phase
from sim.dynamics.newton_euler import inverse_dynamics
from sim.errors import ForeignError
from sim.identification import Log, identify
from sim.identification.signals import sample
from sim.identification.terms import FRICTION
from sim.maths.arrays import Array
from sim.robots import load_robot

LOG = Path(__file__).parents[1] / "tests/identification/ur10/exciting_trajectory.parquet"
LEAST, MEAN = 85.0, (93.0, 99.0)  # [%]
KINDS = ("white", "coloured", "residual", "steps")
COM, TENSOR = (0.02, -0.03, 0.08), np.diag([0.010, 0.012, 0.006])  # per kilogram


def main() -> int:
    """Print the shares; return 0 if all are as required."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--mass", type=float, default=1.5, help="of the payload [kg]")
    parser.add_argument("--first", type=int, default=0, help="seed; others than were looked at")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    options = parser.parse_args()
    arm = load_robot("ur10")
    real = identify(arm, Log.read(LOG, arm))
    left = real.equations.residuals(real.x)
    samples = sample(real.log)
    loaded = arm.with_payload(options.mass, COM, options.mass * TENSOR)
    clean = inverse_dynamics(loaded, samples.q, samples.qd, samples.qdd)
    for row, law in enumerate(real.friction.values()):
        qd = samples.qd[row]
        clean[row] += law.coulomb * np.sign(qd) + law.viscous * qd + law.offset
    truth = {"payload.mass": options.mass}
    if options.mass:  # a mass of zero has no centre
        truth |= {f"payload.com.{axis}": x for axis, x in zip("xyz", COM, strict=True)}
        truth |= {f"payload.i{a}{a}": options.mass * TENSOR[k, k] for k, a in enumerate("xyz")}
        truth |= dict.fromkeys(("payload.ixy", "payload.ixz", "payload.iyz"), 0.0)
    for name, law in real.friction.items():
        truth |= {f"{name}.{kind}": getattr(law, kind) for kind in FRICTION}
    ok = True
    for kind in options.kinds:
        inside: dict[str, list[bool]] = defaultdict(list)
        for seed in range(options.first, options.first + options.seeds):
            tau = clean + noise(kind, clean, left, samples.rate, np.random.default_rng(seed))
            log = Log(arm.row_names, samples.t, samples.q, tau, samples.qd)
            try:
                found = identify(arm, log, payload=True, cutoff=real.cutoff)
            except ForeignError:  # an impossible payload
                inside["payload.mass"].append(False)
                continue
            for one in found.parameters:
                if one.name in truth and one.interval is not None:
                    low, high = one.interval
                    inside[one.name].append(low <= truth[one.name] <= high)
        shares = {name: 100 * float(np.mean(hits)) for name, hits in inside.items()}
        mean = float(np.mean([*shares.values()]))
        worst = min(shares, key=lambda name: shares[name])
        sys.stdout.write(
            f"{kind:9} {mean:.1f} % of {len(shares)} numbers, worst {worst} "
            f"{shares[worst]:.0f} %, mass {shares.get('payload.mass', float('nan')):.0f} %\n"
        )
        if options.mass:
            ok = ok and shares[worst] >= LEAST and MEAN[0] <= mean <= MEAN[1]
        else:
            ok = ok and shares["payload.mass"] >= LEAST
    return 0 if ok else 1


def noise(kind: str, clean: Array, left: Array, rate: float, rng: np.random.Generator) -> Array:
    """Return torques of one kind of noise, each row with the deviation of the real residual."""
    size = left.std(axis=1, keepdims=True)
    white = rng.normal(size=clean.shape)
    if kind == "white":
        return white * size
    if kind == "coloured":
        slow = zero_phase(white, rate, 1.7)
        return slow / slow.std(axis=1, keepdims=True) * size
    if kind == "steps":
        offset = rng.uniform(-0.5, 0.5, (len(clean), 1))  # of the steps from 0
        return (np.round(clean / size + offset) - offset) * size - clean
    F = np.fft.rfft(left, axis=1)
    turns = np.exp(2j * np.pi * rng.random(F.shape))
    F[:, 0] = 0.0  # a mean is not noise but one of the offsets
    return np.fft.irfft(F * turns, clean.shape[1], axis=1)


if __name__ == "__main__":
    sys.exit(main())
