"""The page that the window begins with; what computes does so one at a time, whatever the order."""

import asyncio
import threading
import time

from sim.studio.actions import in_turn
from sim.studio.assets import index_of
from sim.studio.guard import Keys


def test_no_two_functions_overlap():
    running, most, threads = 0, 0, set()

    def work(k):
        nonlocal running, most
        running += 1
        most = max(most, running)
        threads.add(threading.current_thread())
        time.sleep(0.01)
        running -= 1
        return k

    async def every():
        return await asyncio.gather(*(in_turn(work, k) for k in range(8)))

    assert asyncio.run(every()) == list(range(8))
    assert (most, len(threads)) == (1, 1)
    assert threading.current_thread() not in threads


def test_without_pybullet_the_window_names_mujoco(monkeypatch):
    monkeypatch.setattr("sim.studio.assets.default_engine", lambda: "mujoco")
    page = asyncio.run(index_of(Keys.draw())(None)).body
    assert b"default (MuJoCo)" in page
