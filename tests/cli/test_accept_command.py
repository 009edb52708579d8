import json
from pathlib import Path


def test_a_run_is_checked_accepted_and_compared(sim_command, swing):
    run = sim_command("run", "swing.py", "--json", "--no-report").document
    again = sim_command("check", "swing", "--json")
    assert (again.status, again.err) == (0, "")
    assert again.document["checks"] == run["checks"]
    assert again.document["run"] == run["run"]

    missing = sim_command("compare", "swing")
    assert missing.status == 2
    assert "has no baseline" in missing.err

    accepted = sim_command("accept", "swing", "--reason", "first run")
    assert (accepted.status, accepted.err) == (0, "")
    assert accepted.out == "baseline results/baselines/swing\n"

    same = sim_command("compare", "swing", "--json")
    assert (same.status, same.err) == (0, "")
    assert (same.document["ok"], same.document["level"]) == (True, "bit")
    assert (same.document["scenario"], same.document["against"]) == ("swing", "baseline")
    assert set(same.document) == {
        "scenario", "against", "differences", "missing", "new", "notes", "ok", "level", "changes",
        "shift", "word",
    }  # fmt: skip

    sim_command("run", "swing.py", "--no-report", "--set", "load=0.6")
    differs = sim_command("compare", "swing")
    assert (differs.status, differs.err) == (1, "")
    assert "swing against baseline  differs" in differs.out
    assert "input    parameter load: 0.5 → 0.6" in differs.out
    assert "input    link payload mass: 0.5 → 0.6" in differs.out

    old = sim_command("compare", "swing", run["run"], "--json")
    assert (old.status, old.document["against"]) == (1, run["run"])
    assert sim_command("compare", run["run"]).status == 0
    itself = sim_command("compare", run["run"], run["run"])
    assert itself.status == 0
    assert "swing against itself  same to the bit" in itself.out

    shown = sim_command("accept", "swing", "--reason", "heavier", "--who", "Ada")
    assert "swing against baseline  differs" in shown.out
    text = json.loads(Path("results/baselines/swing/baseline.json").read_text("utf-8"))
    lines = [(one["reason"], one["level"]) for one in text["ledger"]]
    assert lines == [("first run", "new"), ("heavier", "outside")]
    assert "link payload mass: 0.5 → 0.6" in text["ledger"][1]["changes"]


def test_all_newest_runs_are_accepted_or_none(sim_command, swing):
    refused = sim_command("accept", "--all", "--reason", "x")
    assert (refused.status, refused.err) == (2, "sim: There is no run to accept in results/runs\n")
    sim_command("run", "swing.py", "--no-report")
    for line in (("accept", "--reason", "x"), ("accept", "swing", "--all", "--reason", "x")):
        assert "Name one RUN to accept, or use --all" in sim_command(*line).err
    assert sim_command("accept", "--all", "--reason", " ").status == 2
    assert not Path("results/baselines").exists()
    done = sim_command("accept", "--all", "--reason", "all of them")
    assert (done.status, done.out) == (0, "baseline results/baselines/swing\n")


def test_rules_and_relative_tolerances_on_the_command_line(sim_command, swing):
    sim_command("run", "swing.py", "--no-report")
    sim_command("accept", "swing", "--reason", "x")
    sim_command("run", "swing.py", "--no-report", "--set", "load=0.500001")
    assert sim_command("compare", "swing").status == 1
    loose = sim_command("compare", "swing", "--rtol", "1e-4", columns=160)
    assert loose.status == 0
    assert "swing against baseline  inside tolerance" in loose.out
    assert "0.0001 of the peak (--rtol)" in loose.out
    rules = Path("results/baselines/tolerances.toml")
    rules.write_text('[[rule]]\nchannels = "*"\nrelative = 1e-4\nreason = "a test"\n', "utf-8")
    assert "tolerances.toml, rule 1" in sim_command("compare", "swing", columns=160).out
    rules.write_text('[[rule]]\nchannels = "tau.x"\nrelative = 1\nreason = "a test"\n', "utf-8")
    wrong = sim_command("compare", "swing")
    assert (wrong.status, wrong.out) == (2, "")
    assert "'tau.x' matches no channel of 'swing'" in wrong.err
