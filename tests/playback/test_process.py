import os
import time
from pathlib import Path

import pytest

from sim.errors import EngineError, PlaybackError, ScenarioError
from sim.playback.playing import in_window
from sim.playback.process import ChildLostError, in_child
from tests.playback import programs


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_child_tells_all_that_its_program_yields_in_order():
    assert list(in_child(programs.numbers, 100)) == list(range(100))


def test_the_program_runs_in_another_process_which_ends_with_the_last_question():
    told = in_child(programs.process_id)
    pid = next(told)
    assert pid != os.getpid()
    assert is_alive(pid)
    told.close()
    assert not is_alive(pid)


def test_an_error_in_the_child_is_raised_here_with_where_it_was():
    told = in_child(programs.fails)
    assert next(told) == 0
    with pytest.raises(ScenarioError, match="the joint 'elbow' is not there") as caught:
        next(told)
    assert "programs.py" in "".join(caught.value.__notes__)


@pytest.mark.parametrize(("after", "began"), [(0, False), (3, True)])
def test_a_child_that_leaves_without_a_word_is_an_error_that_says_when(after, began):
    told = in_child(programs.leaves, after, 1)
    for k in range(after):
        assert next(told) == k
    with pytest.raises(
        ChildLostError, match="PyBullet's process has ended with status 1"
    ) as caught:
        next(told)
    assert (caught.value.began, caught.value.crashed) == (began, False)


def test_a_crash_names_the_signal():
    told = in_child(programs.crashes)
    next(told)
    with pytest.raises(ChildLostError, match="ended by SIGSEGV") as caught:
        next(told)
    assert caught.value.crashed


def test_the_child_is_silent_and_in_the_same_folder(capfd):
    assert list(in_child(programs.noisy)) == [str(Path.cwd())]
    assert capfd.readouterr() == ("", "")


def test_a_window_that_never_opened_is_a_clear_error():
    with pytest.raises(PlaybackError, match=r"could not open a window .*--video") as caught:
        list(in_window(programs.leaves, 0, 1))
    assert "\n" not in str(caught.value)


def test_a_window_that_is_closed_by_its_frame_is_an_end_like_any_other():
    assert list(in_window(programs.leaves, 3, 1)) == [0, 1, 2]


def test_a_crash_while_the_window_is_open_is_the_engine_s():
    with pytest.raises(EngineError, match="SIGSEGV while its window was open"):
        list(in_window(programs.crashes))


def test_a_child_whose_parent_has_gone_ends_too():
    told = in_child(programs.process_id)
    pid = next(told)
    del told  # as when the caller breaks off its loop
    end = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_alive(pid)
