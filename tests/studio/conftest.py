"""One server for the tests of requests."""

import pytest

from tests.helpers.studio_process import StudioProcess


@pytest.fixture(scope="package")
def studio(tmp_path_factory):
    with StudioProcess(tmp_path_factory.mktemp("studio") / "folder") as server:
        yield server
