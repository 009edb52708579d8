"""Here NumPy integrates, numba there or not; what compares the two sets it for itself.

Elsewhere, and in modules that set `MACHINE_CODE`, runs are integrated as a user's are, in machine
code where numba is.
"""

import pytest


@pytest.fixture(scope="module", autouse=True)
def without_machine_code(request):
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "MACHINE_CODE", False):
            patch.setenv("SIM_FAST", "0")
        yield
