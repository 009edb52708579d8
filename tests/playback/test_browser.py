import argparse
import webbrowser
from pathlib import Path

import pytest

from sim.playback.browser import browser_here, open_page, place_of_page


def test_a_page_stands_where_a_browser_in_a_sandbox_sees_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert place_of_page("teach_a/b c.html") == Path("results/pages/teach_a_b_c.html")
    assert Path("results/pages").is_dir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.access", lambda *_: False)
    assert place_of_page("a.html").match("sim-page-*/a.html")


@pytest.mark.parametrize("name", ["w3m", "/usr/bin/lynx"])
def test_a_browser_that_shows_text_alone_is_none(monkeypatch, name):
    monkeypatch.setattr("webbrowser.get", lambda: argparse.Namespace(name=name))
    monkeypatch.setattr("webbrowser.open", lambda *_, **__: pytest.fail("it was opened"))
    assert not open_page(Path("page.html"))


def test_without_a_browser_nothing_is_opened(monkeypatch):
    def none(*_, **__):
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr("webbrowser.get", none)
    monkeypatch.setattr("webbrowser.open", none)
    assert browser_here() is None
    assert not open_page(Path("page.html"))
