import hashlib

import pytest

from sim.errors import ScenarioError
from sim.scenario.trusted_script import require_trusted
from sim.shipped import scenarios


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder where the user stands, beside one where he does not."""
    for name in ("here", "here/results", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def written(path):
    path.write_text("raise SystemExit('executed')\n", "utf-8")
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_file_below_the_working_directory_and_of_the_same_text_may_be_executed(here):
    path, digest = written(here / "here/a.py")
    assert require_trusted(path, digest, trust=False) == path
    assert require_trusted("a.py", digest, trust=False, received=here / "here/results")


@pytest.mark.parametrize("trust", [True, False])
@pytest.mark.parametrize("digest", ["0" * 64, None, ["a"], ""])
def test_a_file_of_another_text_is_never_executed(here, trust, digest):
    path, _ = written(here / "here/a.py")
    with pytest.raises(ScenarioError, match="has changed since the results were made"):
        require_trusted(path, digest, trust)


def test_a_file_elsewhere_or_one_that_came_with_the_results_needs_trust(here):
    for place, why in (("there/a.py", "is not below"), ("here/results/a.py", "came with")):
        path, digest = written(here / place)
        with pytest.raises(ScenarioError, match=f"{why}.*say --trust"):
            require_trusted(path, digest, trust=False, received=here / "here/results")
        assert require_trusted(path, digest, trust=True, received=here / "here/results") == path


def test_a_link_to_a_file_elsewhere_is_elsewhere(here):
    path, digest = written(here / "there/a.py")
    (here / "here/a.py").symlink_to(path)
    with pytest.raises(ScenarioError, match="is not below"):
        require_trusted(here / "here/a.py", digest, trust=False)


def test_a_shipped_script_is_executed_wherever_it_was(here):
    shipped = scenarios() / "two_link.py"
    digest = hashlib.sha256(shipped.read_bytes()).hexdigest()
    assert require_trusted("/nowhere/two_link.py", digest, trust=False) == shipped
    with pytest.raises(ScenarioError, match="is not there"):
        require_trusted("/nowhere/two_link.py", "0" * 64, trust=False)
