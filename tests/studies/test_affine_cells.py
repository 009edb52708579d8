import numpy as np
import pytest

from sim.studies.workers.affine_cells import AffineCell, AffineRows, cell_of, ends_of
from sim.studies.workers.model_curves import reduce_curves

SAMPLES, CASES = 3000, 400


@pytest.mark.parametrize("numbers", [0, 1, 3])
def test_a_cell_gives_what_all_samples_give(numbers):
    rng = np.random.default_rng(numbers)
    t = np.linspace(0.0, 10.0, SAMPLES)
    waves = [np.sin(rng.uniform(0.3, 3) * t + rng.uniform(0, 6)) for _ in range(2 * numbers + 2)]
    rows = AffineRows(waves[0], np.array(waves[1 : numbers + 1]).reshape(numbers, SAMPLES))
    powers, weights = rows.times(waves[-1]), np.full(SAMPLES, t[1])
    low, high = np.full(numbers, -0.5), np.full(numbers, 1.5)
    x = rng.uniform(low, high, (CASES, numbers))
    cells = cell_of(x, low, high)
    for number in np.unique(cells):
        here = x[cells == number]
        cell = AffineCell((rows,), (powers,), weights, *ends_of(int(number), low, high))
        values = here @ rows.slope + rows.base  # (B, N), all samples
        sizes, at = cell.torque_peaks[0].evaluate(here)
        assert np.allclose(sizes, np.abs(values).max(axis=1), rtol=0, atol=1e-13)
        assert np.allclose(np.abs(values[np.arange(len(here)), at]), sizes, rtol=0, atol=1e-13)
        used = values * waves[-1]
        sizes, _ = cell.power_peaks[0].evaluate(here)
        assert np.allclose(sizes, np.abs(used).max(axis=1), rtol=0, atol=1e-13)
        energy = np.maximum(used, 0.0) @ weights
        assert np.allclose(cell.deliveries[0].evaluate(here), energy, rtol=1e-12, atol=1e-12)
    if numbers == 1:  # else nothing is gained
        assert cell.torque_peaks[0].samples.size < SAMPLES / 10


def test_a_case_has_the_same_bits_however_many_others_there_are():
    rng = np.random.default_rng(1)
    rows = AffineRows(rng.normal(size=999), rng.normal(size=(2, 999)))
    cell = AffineCell((rows,), (rows,), rng.uniform(size=999), -np.ones(2), np.ones(2))
    x = rng.uniform(-1, 1, (40, 2))
    for evaluate in (
        cell.deliveries[0].evaluate,
        lambda some: rows.at(some)[:, 7],
        lambda some: reduce_curves("mean", rows.at(some), cell.weights),
    ):
        one_by_one = [evaluate(some)[0] for some in x[:, None]]
        assert evaluate(x).tolist() == one_by_one


def test_energy_of_a_drive_that_rests_has_the_bits_of_the_sum_over_all_samples():
    rng = np.random.default_rng(2)
    speed = np.where(np.arange(1000) % 250 < 40, rng.normal(size=1000), 0.0)
    powers = AffineRows(rng.normal(size=1000), rng.normal(size=(1, 1000))).times(speed)
    weights, x = rng.uniform(size=1000), rng.uniform(-9, 9, (30, 1))
    ends = np.full(1, -9e3), np.full(1, 9e3)  # so wide that each power may have either sign
    (found,) = AffineCell((powers,), (powers,), weights, *ends).deliveries
    assert (found.terms, found.moving.size) == (1000, 160)
    expected = (np.maximum(x * powers.slope[0] + powers.base, 0.0) * weights).sum(axis=1)
    assert found.evaluate(x).tolist() == expected.tolist()


def test_what_is_no_number_stays_none():
    rows = AffineRows(np.array([1.0, np.nan, 2.0]), np.zeros((1, 3)))
    cell = AffineCell((rows,), (rows,), np.ones(3), np.zeros(1), np.ones(1))
    assert np.isnan(cell.torque_peaks[0].evaluate(np.ones((1, 1)))[0][0])
    assert np.isnan(cell.deliveries[0].evaluate(np.ones((1, 1)))[0])
