"""`sim run --gui` where there is no display."""


def test_without_a_display_nothing_is_simulated_and_one_line_says_what_to_do(
    sim_command, monkeypatch, tmp_path
):
    monkeypatch.delenv("DISPLAY", raising=False)
    refused = sim_command("run", "ur10_step", "--gui", "--out", "run")
    assert refused.status == 2
    assert "no display" in refused.err
    assert len(refused.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
