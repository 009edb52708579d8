"""Histories of runs in repositories of their own; git says which commit is which."""

import subprocess
from pathlib import Path

import msgspec
import pytest
from lxml import html

from sim.errors import RecordingError
from sim.history import jumps_in, keep, read_entry, read_history
from sim.history.entry import entry_of
from sim.history.page import page
from sim.recording import Recording


@pytest.fixture
def run(shipped_run):
    return Recording.read(shipped_run("two_link")).run


@pytest.fixture
def repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    git("init", "-q")
    commit("2026-01-01T00:00:00+00:00")
    return tmp_path


def git(*arguments):
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(when):
    """A commit at a time; its hash by git itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", when)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "x")
    return git("rev-parse", "HEAD")


def later(run, minute, worse=1.0, **changes):
    """The run as it would have been made later, with errors so many times as large."""
    provenance = msgspec.structs.replace(
        run.provenance, created=f"2026-01-02T00:{minute:02}:00+00:00"
    )
    checks = tuple(
        msgspec.structs.replace(one, worst=worse * one.worst, used=worse * one.used)
        if one.name == "torque" and one.used
        else one
        for one in run.checks
    )
    return msgspec.structs.replace(run, provenance=provenance, checks=checks, **changes)


def test_a_jump_is_named_with_its_commit(run, repository):
    keep(later(run, 0))
    second = commit("2026-01-02T00:00:30+00:00")
    path = keep(later(run, 1, 3.0))
    entries = read_history("two_link", baselines=repository)
    ours = [one for one in entries if one.made.startswith("2026-01-02")]
    assert [one.commit for one in ours] == [git("rev-parse", "HEAD~1"), second]
    assert all(one.commit_is_whole for one in ours)
    jumps = jumps_in(ours)
    assert {jump.entry.commit for jump in jumps} == {second}
    assert all(jump.is_worse and not jump.changes for jump in jumps)
    assert {jump.what.split()[1] for jump in jumps} == {"tau.shoulder", "tau.elbow"}
    assert path.stat().st_size < 8000  # bytes
    shoulder = next(c for c in run.checks if (c.name, c.channel) == ("torque", "tau.shoulder"))
    kept = next(m for m in read_entry(path).checks if m.key == ("torque", "tau.shoulder"))
    assert (kept.value, kept.limit, kept.unit) == (3.0 * shoulder.worst, shoulder.limit, "N·m")


def test_what_else_changed_stands_beside_a_jump(run):
    heavy = later(run, 1, parameters={"load": 1.0})
    heavy = msgspec.structs.replace(heavy, peaks={**run.peaks, "tau.elbow": 9.0})
    (jump,) = jumps_in([entry_of(later(run, 0)), entry_of(heavy)])
    assert jump.what.startswith("peak of tau.elbow ") and jump.what.endswith(" → 9 N·m")
    assert jump.changes == ("load 0.5 → 1.0",)
    other = msgspec.structs.replace(later(run, 1, 9.0), engine="mujoco")
    assert jumps_in([entry_of(later(run, 0)), entry_of(other)]) == []  # another engine's errors


def test_the_rounding_of_a_joint_at_rest_does_not_jump(run):
    rests = {"power.shoulder": 25.0, "power.elbow": 1.2e-16}
    entries = [
        entry_of(msgspec.structs.replace(later(run, k), peaks={**rests, "power.elbow": peak}))
        for k, peak in enumerate((1.2e-16, 4.3e-16, 4.3e-6))
    ]
    (jump,) = jumps_in(entries)  # of the last, which is no rounding
    assert jump.what == "peak of power.elbow 4.3e-16 → 4.3e-06 W"
    assert "peak of power.elbow" in page("two_link", entries)
    assert "peak of power.elbow" not in page("two_link", entries[:2])


def test_checks_far_from_their_limits_are_folded(run):
    drawn = html.fromstring(page("two_link", [entry_of(later(run, k)) for k in range(2)]))
    used = [one.used for one in entry_of(run).checks if one.used is not None]
    folded = drawn.xpath("//section[@id='checks']/details//figure")
    shown = drawn.xpath("//section[@id='checks']/div//figure")
    assert len(folded) == sum(share < 0.01 for share in used) > 10
    assert len(folded) + len(shown) == len(used)


def test_where_nothing_is_kept_no_shipped_scenario_is_listed(sim_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "no history yet; start one with sim run NAME --keep" in sim_command("history").err
    assert (
        "kept scenarios: none. Keep a run with: sim run swing --keep"
        in sim_command("history", "swing").err
    )


def test_a_commit_that_is_younger_than_the_run_is_not_its_own(run, repository):
    commit("2026-01-03T00:00:00+00:00")
    assert read_entry(keep(later(run, 0))).commit == ""
    Path("mine.txt").write_text("1", encoding="utf-8")
    commit("2026-01-01T12:00:00+00:00")
    Path("mine.txt").write_text("2", encoding="utf-8")
    dirty = read_entry(keep(later(run, 1)))
    assert not dirty.commit_is_whole
    assert dirty.commit_text == git("rev-parse", "HEAD")[:8] + "+"


def test_an_acceptance_adds_who_and_why_and_nothing_is_lost(run, repository):
    path = keep(later(run, 0))
    commit("2026-01-01T12:00:00+00:00")
    before = read_entry(path)
    assert keep(later(run, 0), accepted="2026-01-02T01:00:00+00:00", who="Ada", reason="x") == path
    accepted = read_entry(path)
    assert (accepted.who, accepted.reason, accepted.commit) == ("Ada", "x", before.commit)
    assert accepted.numbers == before.numbers
    keep(later(run, 0))
    assert read_entry(path) == accepted


def test_files_that_are_none_of_this_history_are_refused(run, repository):
    path = keep(later(run, 0))
    wrong = Path("results/history/other")
    wrong.mkdir()
    (wrong / path.name).write_bytes(path.read_bytes())
    with pytest.raises(RecordingError, match="is of scenario 'two_link', not of 'other'"):
        read_history("other")
    (wrong / path.name).write_bytes(path.read_bytes()[:-7])
    with pytest.raises(RecordingError, match="cannot be read"):
        read_history("other")
    with pytest.raises(RecordingError, match=r"No run of 'none' .* kept scenarios: other, two"):
        read_history("none")
    with pytest.raises(RecordingError, match="has no verdict"):
        keep(msgspec.structs.replace(run, verdict=None))


def test_each_run_has_its_place_in_all_drawings(run):
    less = msgspec.structs.replace(
        later(run, 2), checks=tuple(one for one in run.checks if one.name != "torque")
    )
    stepped = msgspec.structs.replace(later(run, 1), method="stepped", engine="mujoco")
    drawn = html.fromstring(page("two_link", [*map(entry_of, (later(run, 0), stepped, less))]))
    places = {
        figure.text_content().split("\n")[0].split("  ")[0]: [
            round(float(dot.get("cx"))) for dot in figure.xpath(".//*[contains(@class, 'run')]")
        ]
        for figure in drawn.xpath("//figure")
    }
    assert {tuple(one) for one in places.values()} == {
        (72, 178, 284),
        (72, 178),
    }  # px, at 0, 1 and 2 min
    table = drawn.xpath("//table[contains(@class, 'runs')]")[0].text_content()
    assert "mujoco stepped" in table


def test_the_command_shows_table_page_and_document(sim_command, repository, run, shipped_run):
    folder = shipped_run("two_link")
    done = sim_command("history", "two_link", "--keep", str(folder), "--page", "h.html", columns=80)
    assert (done.status, done.err) == (0, "")
    assert {"tau.shoulder", "83"} <= set(done.out.split())
    text = Path("h.html").read_text("utf-8")
    assert text.count("<figure>") > len(run.checks) / 2 and "<script" not in text
    document = sim_command("history", "two_link", "--json").document
    newest = document["entries"][-1]
    assert newest["verdict"] == "pass" and len(newest["numbers"]) > len(run.checks)
    assert newest["cpu"] > 0.0
    assert "bullet stepped" in sim_command("history", "two_link", columns=100).out
    overview = sim_command("history", columns=80).out
    assert "two_link" in overview and "ur10_step" not in overview  # which ships, and is not here
    assert "requires a SCENARIO" in sim_command("history", "--page", "h.html").err


EVIL = "\x1b]0;title\x07\x9b31m\u202e"  # a terminal obeys each of these


def test_texts_of_a_history_are_no_commands_to_the_terminal(repository, run, sim_command):
    keep(later(run, 1), accepted="2026-01-02T00:01:00+00:00", who=EVIL, reason=EVIL)
    folder = next((repository / "results/history").iterdir())
    for words in ((folder.name,), (folder.name, "--json"), ()):
        done = sim_command("history", *words)
        assert (done.status, done.err) == (0, "")
        assert set(done.out) & set(EVIL) <= set("0;title31m]")
    assert "\\x1b]0;title" in sim_command("history", folder.name).out


@pytest.mark.parametrize(
    ("text", "rows", "said"),
    [("x", 200_000, "it has 200000 rows"), ("x" * 5000, 1000, "a text has over 1000 characters")],
)
def test_a_small_file_that_unpacks_to_much_is_refused(repository, run, text, rows, said):
    """A text stands once in a file, and in each of its rows in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = keep(later(run, 1))
    table = pq.read_table(path)
    columns = {
        name: pa.array([None] * rows, table.schema.field(name).type) for name in table.column_names
    }
    columns |= dict.fromkeys(("kind", "name", "channel", "unit"), pa.array([text] * rows))
    pq.write_table(pa.table(columns, schema=table.schema), path, compression="zstd")
    assert path.stat().st_size < 20_000
    with pytest.raises(RecordingError, match=said):
        read_entry(path)


@pytest.mark.parametrize(
    "made", ["yesterday", "", "0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00"]
)
def test_a_run_without_a_date_is_not_kept(run, repository, made):
    provenance = msgspec.structs.replace(run.provenance, created=made)
    with pytest.raises(RecordingError, match="is not a date in ISO 8601"):
        keep(msgspec.structs.replace(run, provenance=provenance))
