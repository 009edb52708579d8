"""Vectors of three numbers as tuples, without memory; rotations, and small linear systems."""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.compiling import inner
from sim.dynamics.kernels.records import Indices
from sim.maths.arrays import Array

Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)


@inner
def row_of(A: Array, i: int) -> Vector:
    """Return row i of an array of vectors; zero for the ground, which is -1."""
    return (A[i, 0], A[i, 1], A[i, 2]) if i >= 0 else ORIGIN


@inner
def column_of(A: Array, i: int, k: int) -> Vector:
    """Return column k of matrix i of an array."""
    return A[i, 0, k], A[i, 1, k], A[i, 2, k]


@inner
def set_row(A: Array, i: int, v: Vector) -> None:
    """Store v as row i of an array of vectors."""
    A[i, 0], A[i, 1], A[i, 2] = v


@inner
def set_columns(A: Array, i: int, x: Vector, y: Vector, z: Vector) -> None:
    """Store x, y and z as the columns of matrix i of an array."""
    for a in range(3):
        A[i, a, 0], A[i, a, 1], A[i, a, 2] = x[a], y[a], z[a]


@inner
def copy_to(v: Array, u: Array) -> None:
    """Copy v to u, of any length; array assignment would take a second to compile."""
    for i in range(v.size):
        u[i] = v[i]


@inner
def add_rows(weights: Array, factor: float, rows: Array, total: Array) -> None:
    """Fill in the sum of rows with weights times a factor; by rows, for vector instructions."""
    for i in range(total.size):
        total[i] = 0.0
    for s in range(weights.size):
        weight = factor * weights[s]
        for i in range(total.size):
            total[i] += weight * rows[s, i]


@inner
def scale(factor: float, v: Vector) -> Vector:
    """Return factor * v."""
    return factor * v[0], factor * v[1], factor * v[2]


@inner
def multiply(a: Vector, b: Vector) -> Vector:
    """Return the products of the components."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@inner
def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inner
def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def dot(a: Vector, b: Vector) -> float:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def cross(a: Vector, b: Vector) -> Vector:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def rotate(R: Array, i: int, v: Vector) -> Vector:
    """Return matrix i of an array, times v."""
    x = R[i, 0, 0] * v[0] + R[i, 0, 1] * v[1] + R[i, 0, 2] * v[2]
    y = R[i, 1, 0] * v[0] + R[i, 1, 1] * v[1] + R[i, 1, 2] * v[2]
    return x, y, R[i, 2, 0] * v[0] + R[i, 2, 1] * v[1] + R[i, 2, 2] * v[2]


@inner
def rotate_back(R: Array, i: int, v: Vector) -> Vector:
    """Return the transpose of matrix i of an array, times v."""
    return dot(column_of(R, i, 0), v), dot(column_of(R, i, 1), v), dot(column_of(R, i, 2), v)


@inner
def rotation_columns(q: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the columns of exp(q); see `sim.maths.rotation_vectors.rotations_of_vectors`."""
    square = dot(q, q)
    angle = np.sqrt(square)
    if angle < 1e-2:
        sine = 1.0 - square / 6.0 * (1.0 - square / 20.0)
        versine = 0.5 - square / 24.0 * (1.0 - square / 30.0)
    else:
        half = np.sin(0.5 * angle) / angle
        sine, versine = np.sin(angle) / angle, 2.0 * half * half
    (a, b, c), (x, y, z), cosine = q, scale(sine, q), 1.0 - versine * square
    return (
        (versine * (a * a) + cosine, versine * (b * a) + z, versine * (c * a) - y),
        (versine * (a * b) - z, versine * (b * b) + cosine, versine * (c * b) + x),
        (versine * (a * c) + y, versine * (b * c) - x, versine * (c * c) + cosine),
    )


@inner
def vector_rate(q: Vector, w: Vector) -> Vector:
    """Return the rate of q under ω; see `sim.maths.rotation_vectors.rates_of_vectors`."""
    square = dot(q, q)
    angle = np.sqrt(square)
    if angle < 1e-2:
        factor = (1.0 + square / 60.0 * (1.0 + square / 42.0)) / 12.0
    else:
        factor = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / square
    once = cross(q, w)
    return add(add(w, scale(0.5, once)), scale(factor, cross(q, once)))


@inner
def ball_rate(q: Array, qd: Array, last: int) -> Vector:
    """Return the rate of the rotation vector of the ball whose last joint is `last`."""
    vector = q[last - 2], q[last - 1], q[last]
    return vector_rate(vector, (qd[last - 2], qd[last - 1], qd[last]))


@inner
def factor(M: Array, rows: Indices, L: Array) -> None:
    """Store the Cholesky factor of some rows of M, given by its lower half, in L; NaN if none."""
    n = rows.size
    for a in range(n):
        for b in range(a + 1):
            L[a, b] = M[rows[a], rows[b]]
    for j in range(n):
        for i in range(j, n):
            x = L[i, j]
            for k in range(j):
                x -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(x) if i == j else x / L[j, j]


@inner
def substitute(L: Array, x: Array) -> None:
    """Solve L Lᵀ x = b, in place of b."""
    n = x.size
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    substitute_back(L, x)


@inner
def substitute_back(L: Array, x: Array) -> None:
    """Solve Lᵀ x = b, in place of b."""
    n = x.size
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]
