import pytest

from sim.playback.shown_run import prepare_run
from tests.helpers.short_runs import short_run


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("no_baselines"))
        return prepare_run(short_run().with_description(verdict="pass"))
