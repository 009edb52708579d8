"""The scenario that most tests of the command run."""

import pytest

from tests.helpers.command_scripts import write_swing


@pytest.fixture
def swing(tmp_path):
    """A folder with ``swing.py`` and its robot."""
    write_swing(tmp_path)
    return tmp_path


@pytest.fixture
def opened(monkeypatch):
    """Addresses that a browser was asked to open."""
    pages = []
    monkeypatch.setattr("webbrowser.open", lambda url, new: pages.append((url, new)) or True)
    monkeypatch.setattr("sim.playback.browser.browser_here", lambda: None)
    return pages
