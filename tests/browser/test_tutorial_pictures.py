"""The tutorial without code: its pictures are those that its own steps make in Chromium."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/tutorial/without_code.md"


@pytest.mark.rotates(8)
def test_every_step_of_the_tutorial_can_be_clicked_and_makes_its_picture(browser, tmp_path):
    del browser  # skips where there is none
    command = [sys.executable, "-m", "tools.studio_pictures", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"\(studio/(\w+\.png)\)", PAGE.read_text("utf-8"))
    assert sorted(shown) == sorted(path.name for path in tmp_path.iterdir())
    for name in shown:
        with Image.open(tmp_path / name) as made, Image.open(PAGE.parent / "studio" / name) as kept:
            assert made.size == kept.size
            assert len(made.convert("L").getcolors()) > 20  # not an empty window
