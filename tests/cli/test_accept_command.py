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
    assert same.document["ok"]
    assert (same.document["scenario"], same.document["against"]) == ("swing", "baseline")
    assert set(same.document) == {
        "scenario", "against", "differences", "missing", "new", "notes", "ok",
    }  # fmt: skip

    sim_command("run", "swing.py", "--no-report", "--set", "load=0.6")
    differs = sim_command("compare", "swing")
    assert (differs.status, differs.err) == (1, "")
    assert "swing against baseline  differs" in differs.out
    assert "setting  load: 0.6, reference 0.5" in differs.out

    old = sim_command("compare", "swing", run["run"], "--json")
    assert (old.status, old.document["against"]) == (1, run["run"])
    assert sim_command("compare", run["run"]).status == 0
