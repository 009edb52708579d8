import re
from pathlib import Path

HERE = Path(__file__).parent
ERRATA = HERE.parents[1] / "docs" / "errata.md"


def test_every_erratum_names_tests_that_there_are():
    named = set(re.findall(r"`(test_\w+)`", ERRATA.read_text(encoding="utf-8")))
    written = {
        name
        for path in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    assert len(named) > 20
    assert named <= written
