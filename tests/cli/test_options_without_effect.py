"""An option that would have no effect beside the others is refused, and nothing is written."""

import pytest

from sim.cli.command import status
from tests.helpers.command_scripts import write_swing

VARY = "--vary duration=0.2:0.4"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_swing(folder)
    (folder / "a.csv").write_text("t,q.elbow\n0,0\n1,1\n")
    (folder / "two.py").write_text("def both(run):\n    return {'a': 1.0, 'b': 2.0}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert status("run swing.py --set duration=0.05 --out x --no-report".split()) == 0
    return folder


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"sweep swing.py {VARY}:3 --proof 2 --out s", "--proof requires --analytic"),
        (f"sweep swing.py {VARY}:3 --distribution uniform --out s", "requires --tolerance"),
        (f"sweep swing.py {VARY}:3 --seed 3 --out s", "--seed requires a random --design"),
        (f"sweep swing.py {VARY} --design tornado --seed 3 --out s", "--seed requires a random"),
        (f"sweep swing.py {VARY} --design tornado --samples 5 --out s", "does not apply to"),
        (f"optimise swing.py --minimise energy {VARY} --simulate --analytic --out s", "exclude"),
        ("run --from x --floor 1 --out s", "excludes --floor"),
        ("run --from x --start 1 --out s", "--start requires --reference"),
        ("compare x x --cutoff 5", "--cutoff is for the log of a robot"),
        ("compare x a.csv --mount wall", "--mount is for the log of a robot"),
        ("compare a.csv a.csv --despite-doubts", "--despite-doubts is for the log of a robot"),
        ("convert arm.urdf s.urdf --merge-fixed", "--merge-fixed requires an MJCF file"),
        ("verify --list --page s.html", "--list verifies nothing"),
        ("modes x --stiffness 100 --pose home", "--pose requires a robot file"),
        ("modes swing.py --stiffness 100 --pose home", "--pose requires a robot file"),
        ("workspace arm.urdf --no-page --out s", "--out and --no-page exclude each other"),
        ("play x --video s.png --fps 3", "A rate (fps = 3) is for a video"),
    ],
)
def test_an_option_without_effect_is_refused(folder, sim_command, monkeypatch, words, said):
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    done = sim_command(*words.split())
    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert said in done.err
    assert sorted(path for path in folder.rglob("*") if "__pycache__" not in str(path)) == [
        path for path in before if "__pycache__" not in str(path)
    ]


@pytest.mark.parametrize(
    "goal", ["--minimise two.py:both", "--minimise energy --subject-to 'two.py:both'<=1"]
)
def test_a_goal_that_returns_a_dict_is_reported_at_the_first_case(
    folder, sim_command, monkeypatch, goal
):
    monkeypatch.chdir(folder)
    words = f"optimise swing.py {goal} {VARY} --evaluations 4 --workers 1 --out s"
    done = sim_command(*words.split())
    reason = "must return one number where it is an objective or a constraint, not a dict"
    assert (done.status, done.err) == (2, f"sim: two.py:both {reason}\n")
    assert not (folder / "s").exists()
