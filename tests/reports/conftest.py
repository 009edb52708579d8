"""Figures without their pictures."""

from pathlib import Path

import pytest


@pytest.fixture
def without_png(monkeypatch):
    """Each PNG of a figure is an empty file: a test looks at the SVG, and drawing takes half."""
    monkeypatch.setattr(
        "matplotlib.backends.backend_agg.FigureCanvasAgg.print_png",
        lambda canvas, path, **options: Path(path).touch(),
    )
