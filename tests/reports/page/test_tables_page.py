"""The page of two tables."""

import numpy as np
from lxml import html

from sim import compare_tables
from sim.reports.page.tables_page import tables_page


def test_a_long_curve_is_thinned_on_the_page_and_keeps_its_peak(tmp_path):
    t = np.linspace(0, 1, 20_001)
    spiked = np.where(np.arange(t.size) == 7777, 5.0, np.sin(9 * t))
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    for path in files:
        np.savetxt(path, np.transpose([t, spiked]), "%.9g", ",", header="t,x", comments="")
    page = tables_page(compare_tables(*files))
    assert len(page) < 120_000
    mine = html.fromstring(page).xpath("//figure//polyline")[0].get("points").split()
    assert min(float(point.split(",")[1]) for point in mine) < 40  # 5 of a scale up to 5.3
