"""A few of the kills of `make kills`."""

import pytest

from tests.cli.command_runs import REPOSITORY
from tools.kills import kills


@pytest.mark.rotates(3)
def test_a_run_that_is_killed_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    assert kills(tmp_path, 3)["killed"] >= 1
