"""Every small change of program, input, files and limits is named by the check that must see it."""

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

import sim
from sim.checks import check
from sim.comparison import accept
from sim.recording import Recording
from tests.helpers.rotation import ALL, PARTS, chosen, headline
from tests.helpers.small_robots import lift
from tests.mutations.bench import Bench
from tests.mutations.code_change import CodeChange, StaleError
from tests.mutations.mutation import Differs, Fails, Outcome, Refuses, TextChange
from tests.mutations.row_text import read_row
from tests.mutations.table import MUTATIONS

ARM = "arm ideal"


def meet_the_ground(folder: Path) -> None:
    """Compile contacts: a copy of the program takes what is compiled by then, else each its own."""
    folder.mkdir()
    ground = sim.GroundContact("load", stiffness=1e4, radius=0.1)
    still = sim.JointMotion.displacement({})
    sim.run(sim.Scenario(lift(3.0), still, duration=2e-3, contacts=(ground,)), method="ideal")


@pytest.fixture(scope="session")
def bench(tmp_path_factory, compiled, make_once):
    make_once("contacts", meet_the_ground)
    with Bench(tmp_path_factory.mktemp("mutations")) as bench:
        yield bench


@pytest.fixture
def command(bench, sim_command, tmp_path):
    """What `sim` says of a run after a lie or some damage."""

    def said(mutation) -> Outcome:
        sound = bench.sound(mutation.run)
        honest = Recording.read(sound)
        folder = tmp_path / "run"
        shutil.copytree(sound, folder)
        if mutation.command == "compare" or mutation.kind == "baseline":
            accept(honest, "it is sound", tmp_path / "results" / "baselines")
        if mutation.lie is not None:
            mutation.lie(honest).write(folder)
        if mutation.damage is not None:
            at = tmp_path / "results" / "baselines" / honest.run.scenario
            mutation.damage(at if mutation.kind == "baseline" else folder)
        more = ("--reason", "why not") if mutation.command == "accept" else ("--json",)
        try:
            outcome = sim_command(mutation.command, str(folder), *more)
        except Exception as error:  # the command never ends so, and what it is shall be read
            return Outcome(error=f"Traceback: {type(error).__name__}: {error}")
        if outcome.status == 2:
            return Outcome(error=f"SimError: {outcome.err}")
        failing, differing, words = (), (), ()
        if mutation.command == "check":
            failed = [one for one in outcome.document["checks"] if not one["ok"]]
            failing = tuple((one["name"], one["channel"]) for one in failed)
        elif mutation.command == "compare":
            found = outcome.document
            parted = [one["channel"] for one in found["differences"] if not one["ok"]]
            differing = (*parted, *found["missing"], *found["new"])
            if not found["ok"]:
                differing = (*differing, *found["notes"])
            words = (found["level"], *found["changes"])
        assert (outcome.status == 0) is not bool(failing or differing)
        return Outcome(failing, differing, words=words)

    return said


def survived(mutation, outcome) -> str:
    """What was not said and should be, in words; empty where all was."""
    lacking = [expected for expected in mutation.expected if not expected.is_in(outcome)]
    return f"{mutation} survives: {lacking} not said\n{outcome}" if lacking else ""


def outcome_of(mutation, bench, command) -> Outcome:
    if mutation.kind in ("code", "input"):
        return bench.solved(mutation.run, mutation.change)
    if mutation.kind == "comparison":
        return bench.compared(mutation, None)
    if mutation.kind == "test":
        return bench.tested(mutation.run, mutation.change)
    return command(mutation)


@pytest.mark.parametrize("mutation", chosen(MUTATIONS), ids=str)
def test_a_mutation_is_named(mutation, bench, command):
    outcome = outcome_of(mutation, bench, command)
    left = survived(mutation, outcome)
    if mutation.kind in ("limit", "comparison"):
        assert not left, left  # the lie is found today …
        if mutation.kind == "limit":
            blind = bench.judged(bench.lied(mutation), mutation.change)
        else:
            blind = bench.compared(mutation, mutation.change)
        assert not blind.error, blind
        # … and by nothing of that name where the program is blind
        assert survived(mutation, blind), f"{mutation}: the lie is no measure of it\n{blind}"
    else:
        assert not left, left


# --- the bench itself -----------------------------------------------------------------------------


def test_a_row_is_read_as_its_text_says():
    row = read_row(
        "a guard that is none\n  checks.check: if a:\n        ...\n    → if False:\n        ...\n"
        "  arm ideal: fails torque in tau.*; refuses a; b\n"
    )
    assert row.change == CodeChange("checks.check", "if a:\n    ...", "if False:\n    ...")
    assert row.expected == (Fails("torque", "tau.*"), Refuses("a; b"))
    taken_away = read_row("nothing is left\n  checks.check: a = 1 →\n  test_a.py::test_b[1]\n")
    assert (taken_away.kind, taken_away.change) == ("test", CodeChange("checks.check", "a = 1", ""))
    assert taken_away.expected[0].is_in(Outcome((("test", "test_a.py::test_b[1]"),)))


@pytest.mark.parametrize(
    "text",
    [
        "no arrow\n  checks.check: a\n  test_a.py::test_b\n",
        "nothing must be said\n  checks.check: a → b\n",
        "no verb\n  checks.check: a → b\n  arm ideal: torque\n",
    ],
)
def test_what_is_no_row_is_refused(text):
    with pytest.raises(ValueError, match=text.partition(" ")[0] + "|torque"):
        read_row(text)


def test_there_are_enough_of_every_kind_and_no_name_twice():
    assert len(MUTATIONS) >= 80
    names = [str(mutation) for mutation in MUTATIONS]
    assert len(set(names)) == len(names)
    assert {mutation.kind for mutation in MUTATIONS} == {
        "code", "input", "file", "baseline", "limit", "comparison", "test",
    }  # fmt: skip
    assert all(mutation.expected for mutation in MUTATIONS)


def test_each_commit_runs_a_part_and_every_part_has_its_turn(monkeypatch):
    monkeypatch.delenv(ALL, raising=False)
    ran = []
    for commit in range(PARTS):
        head = SimpleNamespace(stdout=f"{commit:040x}\n")
        monkeypatch.setattr(subprocess, "run", lambda *_, head=head, **__: head)
        ran.append(chosen(MUTATIONS))
        assert f"part {commit + 1} of {PARTS}" in headline()
    assert {len(part) for part in ran} <= {len(MUTATIONS) // PARTS, len(MUTATIONS) // PARTS + 1}
    assert sorted(str(one) for part in ran for one in part) == sorted(map(str, MUTATIONS))
    monkeypatch.setenv(ALL, "1")
    assert chosen(MUTATIONS) == MUTATIONS


def test_without_git_the_date_chooses(monkeypatch):
    monkeypatch.delenv(ALL, raising=False)
    monkeypatch.setenv("PATH", "")
    assert "date" in headline()
    assert 0 < len(chosen(MUTATIONS)) < len(MUTATIONS)


def test_a_copy_that_is_not_changed_passes_and_does_not_differ(bench):
    assert bench.solved(ARM, None) == Outcome()
    assert bench.judged(bench.sound(ARM), None) == Outcome()


def test_a_test_passes_with_a_copy_that_is_not_changed(bench):
    for test in sorted({mutation.run for mutation in MUTATIONS if mutation.kind == "test"})[:1]:
        assert bench.tested(test, None) == Outcome()


def test_a_run_written_anew_without_a_lie_passes(bench, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    Recording.read(bench.sound(ARM)).write(folder)
    assert all(one.ok for one in check(Recording.read(folder)))
    sealed = json.loads((folder / "run.json").read_text())
    assert sealed["seal"] == json.loads((bench.sound(ARM) / "run.json").read_text())["seal"]


def test_after_a_mutation_the_copy_is_as_it_was(bench):
    change = CodeChange("dynamics.GRAVITY", "-9.81", "-9.82")
    path, _ = bench.applied(change)
    before, age = path.read_text(), path.stat().st_mtime_ns
    bench.solved("gear ideal", change)
    assert (path.read_text(), path.stat().st_mtime_ns) == (before, age)
    assert bench.solved("gear ideal", None) == Outcome()


@pytest.mark.parametrize(
    "change",
    [
        CodeChange("dynamics.gravity", "a_piece_that_is_not_there", "0"),
        CodeChange("dynamics.lagrange", "np.einsum", "0"),
        CodeChange("dynamics.no_such_function", "1", "2"),
        TextChange("arm.urdf", "a text that is not there", "another"),
        TextChange("arm.urdf", "link", "another"),
        TextChange("no_such_file.urdf", "1", "2"),
    ],
    ids=["no piece", "often", "no place", "no text", "text often", "no file"],
)
def test_a_stale_mutation_fails_loudly(bench, change):
    where = change.place if isinstance(change, CodeChange) else change.file
    with pytest.raises(StaleError, match=where):
        bench.solved(ARM, change)


def test_no_mutation_is_stale(bench):
    """Also of those that do not run now."""
    stale = []
    for mutation in MUTATIONS:
        if mutation.change is not None:
            try:
                bench.check(mutation.change)
            except StaleError as error:
                stale.append(f"{mutation}: {error}")
    assert not stale, "\n".join(stale)


def test_a_program_that_breaks_is_no_refusal(bench):
    """A traceback is not what a reader should see: only errors of the package count as such."""
    change = CodeChange("dynamics.virtual_work.torques", "a - g_0", "a - h_0")
    outcome = bench.solved("gear ideal", change)
    assert outcome.error
    assert not Refuses("").is_in(outcome)


def test_a_process_that_dies_is_reported_and_the_next_one_lives(bench):
    old = "Gravity = tuple[float, float, float]"
    change = CodeChange("dynamics.gravity.Gravity", old, f"__import__('os')._exit(1)\n{old}")
    assert "died" in bench.solved("gear ideal", change).error
    assert bench.solved("gear ideal", None) == Outcome()


def test_what_is_expected_must_be_said_with_its_channel():
    said = Outcome((("torque", "tau.wrist"),), ("q.lift",), "EngineError: another mass")
    for expected in (Fails("torque"), Fails("torque", "tau.w*"), Differs("q.*"), Refuses("mass")):
        assert expected.is_in(said)
        assert not expected.is_in(Outcome())
    for other in (Fails("power"), Fails("torque", "tau.turn"), Differs("qd.*"), Refuses("axis")):
        assert not other.is_in(said)
    assert msgspec.to_builtins(said)["error"] == said.error
