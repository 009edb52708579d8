"""Linear regression on the bins of the Fourier transform below a cut-off.

The transform is linear, so tau = Y theta holds bin by bin for any motion, and the low-pass is a
choice of bins: no edges and no lag. Bins of stationary noise are nearly independent whatever its
colour, while the samples of a slow residual are correlated. Each joint's noise spectrum is
estimated from the residual, smoothed over neighbouring bins, and weights the rows (Whittle).
Intervals are those of HC3: each row counts with its own residual, enlarged by its leverage, so that
errors in the estimated colour do little harm. Only noise that ends below the cut-off makes
intervals too narrow.

References
----------
Pintelon, Schoukens: System Identification, 2nd edition, 2012, section 9.4.
MacKinnon, White: Some heteroskedasticity-consistent covariance matrix estimators, Journal of
Econometrics 29, 1985, equation 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.errors import ForeignError
from sim.maths.arrays import Array, Mask

NEIGHBOURS = 41  # bins over which a noise spectrum is smoothed
ROUNDS = 4  # iterations of weights and residuals
LEVEL = 0.95
SINGULAR = 1e-9  # of the largest singular value: rounding for columns of unit length
_LARGEST_LEVERAGE = 0.9


@dataclass(frozen=True, eq=False)
class Prior:
    """Rows P x ≈ z of unit deviation, in addition to those of the log.

    Parameters
    ----------
    P : ndarray, shape (k, p)
    z : ndarray, shape (k,)
    """

    P: Array
    z: Array


@dataclass(frozen=True, eq=False)
class SpectralFit:
    """Estimates with their intervals.

    Parameters
    ----------
    x, half_width : ndarray, shape (p,)
        Estimates, and half widths of their 95 % intervals; infinite if no row determines them.
    covariance : ndarray, shape (p, p)
    rows, right : ndarray, shape (m, p) and (m,)
        Rows of the log over their noise.
    quantile : float
        Half widths are so many standard deviations.
    bins : int
        Number of effective real numbers, for each joint.
    """

    x: Array
    half_width: Array
    covariance: Array
    rows: Array
    right: Array
    quantile: float
    bins: int


def fit_spectrum(
    columns: Sequence[Array],
    torques: Sequence[Array],
    rate: float,
    cutoff: float,
    prior: Prior | None = None,
    shares: Array | None = None,
    disturbances: Sequence[Array] = (),
) -> SpectralFit:
    """Fit x of tau = Y x in the bins up to a cut-off.

    Parameters
    ----------
    columns : sequence of ndarray, shape (n, p, N)
        Y of each piece of the log, unfiltered.
    torques : sequence of ndarray, shape (n, N)
    rate, cutoff : float
        [Hz]
    prior : Prior, optional
    shares : ndarray, shape (n,), optional
        Share of the samples of a row within its window. Its bins are then correlated, and together
        count as many numbers as these samples.
    disturbances : sequence of ndarray, shape (k, n, N)
        Possible disturbances of the torques other than noise, k random draws: intervals are at
        least as wide as by these draws.

    Raises
    ------
    ForeignError
        If the log has fewer numbers below the cut-off than there are parameters.
    """
    from scipy.special import stdtrit

    F = np.concatenate([bins_of(Y, rate, cutoff) for Y in columns], axis=-1)
    tau = np.concatenate([bins_of(one, rate, cutoff) for one in torques], axis=-1)
    f = np.concatenate([_frequencies(one, rate, cutoff) for one in torques])
    order = np.argsort(f, kind="stable")
    F, tau, mean = F[..., order], tau[..., order], f[order] == 0
    n, p, K = F.shape
    count = 2 * K - int(mean.sum())
    if prior is None and n * count < p + n:
        raise ForeignError(
            f"The log has {n * count} numbers below {cutoff:.3g} Hz for {p} parameters; "
            "record a longer log"
        )
    P, z = (np.zeros((0, p)), np.zeros(0)) if prior is None else (prior.P, prior.z)
    remaining = np.ones(n) if shares is None else np.maximum(shares, 1 / count)
    S = np.maximum((np.abs(tau) ** 2).mean(axis=1, keepdims=True), 1e-300) * np.ones(K)
    for _ in range(ROUNDS):
        w = 1 / np.sqrt(S)
        A, b = _real_rows(F, tau, w, mean)
        x, bread, is_open = _solve(np.vstack([A, P]), np.concatenate([b, z]))
        leverage = np.einsum("mp,pq,mq->m", A, bread, A, optimize=True)
        spent = leverage.reshape(n, -1).sum(axis=1)
        power = np.abs(tau - np.einsum("npk,p->nk", F, x)) ** 2 / np.where(mean, 1.0, 2.0)
        paid = count / np.maximum(count - spent, 1.0)
        floor = 1e-20 * np.abs(tau).max() ** 2 + 1e-300
        S = np.maximum(_smooth(power) * (paid / remaining)[:, None], floor)
    repeats = np.repeat(np.sqrt(remaining), count)
    scores = A * ((b - A @ x) / repeats / (1 - np.minimum(leverage, _LARGEST_LEVERAGE)))[:, None]
    robust = bread @ (scores.T @ scores + P.T @ P) @ bread
    variance = np.maximum(np.diag(robust), 1e-300)
    quantile = float(stdtrit(max((remaining.sum() * count - p) // n, 3), 0.5 + LEVEL / 2))
    least = np.diag(bread)
    if disturbances and disturbances[0].size:
        added = np.concatenate([bins_of(one, rate, cutoff) for one in disturbances], axis=-1)
        shifts = bread @ A.T @ _real_numbers(added[..., order] * w, mean).T
        least = np.maximum(least, (np.quantile(np.abs(shifts), LEVEL, axis=1) / quantile) ** 2)
    larger = np.sqrt(np.maximum(least, variance) / variance)
    covariance = robust * np.outer(larger, larger)
    half_width = np.where(is_open, np.inf, quantile * np.sqrt(np.diag(covariance)))
    return SpectralFit(x, half_width, covariance, A, b, quantile, count)


def bins_of(x: Array, rate: float, cutoff: float) -> Array:
    """Return the bins of rows (…, N) from the mean to a cut-off, (…, K), scaled to noise power."""
    N = x.shape[-1]
    F = np.fft.rfft(x, axis=-1)[..., : int(cutoff * N / rate) + 1] * np.sqrt(2.0 / N)
    F[..., 0] /= np.sqrt(2.0)
    return F


def _frequencies(x: Array, rate: float, cutoff: float) -> Array:
    """Return frequencies of `bins_of` [Hz]."""
    return np.arange(int(cutoff * x.shape[-1] / rate) + 1) * rate / x.shape[-1]


def _real_rows(F: Array, tau: Array, w: Array, mean: Array) -> tuple[Array, Array]:
    """Return weighted real and imaginary parts: rows (m, p) and right side (m,)."""
    return _real_numbers(np.swapaxes(F * w[:, None], 0, 1), mean).T, _real_numbers(tau * w, mean)


def _real_numbers(x: Array, mean: Array) -> Array:
    """Return real and imaginary parts of bins (…, n, K), joint by joint, (…, m)."""
    parts = np.concatenate([x.real, x.imag[..., ~mean.astype(bool)]], axis=-1)
    return np.asarray(parts.reshape(*x.shape[:-2], -1))


def _solve(A: Array, b: Array) -> tuple[Array, Array, Mask]:
    """Return the least squares by unit columns, (AᵀA)⁻¹, and undetermined parameters, (p,).

    Parameters that no row separates have the solution of least norm.
    """
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0] = 1.0
    # QR first: the SVD of the triangle costs a fraction of that of the rows
    triangle = np.asarray(np.linalg.qr(np.column_stack([A / scale, b]), mode="r"))
    U, s, Vt = np.linalg.svd(triangle[:, :-1], full_matrices=False)
    is_regular = s > SINGULAR * s[0]
    is_open = (np.abs(Vt[~is_regular]) > 1e-6).any(axis=0)
    U, s, Vt = U[:, is_regular], s[is_regular], Vt[is_regular]
    x = Vt.T @ ((U.T @ triangle[:, -1]) / s) / scale
    return x, (Vt.T / s**2) @ Vt / np.outer(scale, scale), is_open


def _smooth(power: Array) -> Array:
    """Return means over neighbouring bins, fewer at the ends, (n, K)."""
    half, K = NEIGHBOURS // 2, power.shape[1]
    sums = np.concatenate([np.zeros((len(power), 1)), np.cumsum(power, axis=1)], axis=1)
    k = np.arange(K)
    low, high = np.maximum(k - half, 0), np.minimum(k + half + 1, K)
    return np.asarray((sums[:, high] - sums[:, low]) / (high - low))
