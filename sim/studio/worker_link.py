"""Runs of the window: one at a time, each in a process that was started in advance."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sim.studio.preview import joint_of
from sim.studio.refusal import RefusalError

PATIENCE = 3.0  # [s] from the request to stop to the kill


class RunState(msgspec.Struct, kw_only=True):
    """State of the run, for the window.

    Parameters
    ----------
    name : str
        Name of the script.
    state : str
        ``idle``, ``running``, ``done``, ``failed`` or ``stopped``.
    phase : str
        Phase of a running run.
    share : float
        Share of the engine's steps that are done.
    began, seconds : float
        Start, and duration [s].
    verdict, id : str
        Of a completed run: ``pass`` or ``fail``, and the name of its folder.
    error : str
        Reason of a failure.
    joint : str or None
        Joint that the error names.
    study, text : str
        Of a completed study: the name of its folder, and the output of its command.
    """

    name: str = ""
    state: str = "idle"
    phase: str = ""
    share: float = 0.0
    began: float = 0.0
    seconds: float = 0.0
    verdict: str = ""
    id: str = ""
    error: str = ""
    joint: str | None = None
    study: str = ""
    text: str = ""


class WorkerLink:
    """The process that runs scripts, and the one that waits for the next script.

    Parameters
    ----------
    command : sequence of str
        Command line of a worker.
    folder : Path
        Working folder.
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.command, self.folder = command, folder
        self.state = RunState()
        self._spare: Process | None = None
        self._worker: Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_busy = False

    async def prepare(self) -> None:
        """Start the process of the next run."""
        self._spare = await asyncio.create_subprocess_exec(
            *self.command,
            cwd=self.folder,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,
        )

    async def start(self, script: Path, settings: Mapping[str, float] | None = None) -> None:
        """Run a script or a deck, with values of its parameters; raises as `study`."""
        await self._start(script.stem, {"script": str(script), "settings": dict(settings or {})})

    async def study(self, name: str, arguments: list[str], out: str, cases: int) -> None:
        """Run a study by arguments of `sim`, into the folder `out`, with a number of cases or 0.

        Raises
        ------
        RefusalError
            If a run or a study is in progress.
        """
        await self._start(name, {"study": [*arguments, f"--out={out}"], "out": out, "cases": cases})

    async def _start(self, name: str, message: dict[str, Any]) -> None:
        if self._task is not None and self.state.state != "running":
            await asyncio.wait({self._task})  # it has reported, and its process is ending
        if self._is_busy:
            raise RefusalError(409, f"{self.state.name} is running; stop it or wait for its end")
        self._is_busy = True  # set before the first await, so that one of two requests is refused
        try:
            if self._spare is None or self._spare.returncode is not None:
                await self.prepare()
            worker, self._spare = self._spare, None
            assert worker is not None and worker.stdin is not None
            worker.stdin.write(json.dumps(message).encode() + b"\n")
            await worker.stdin.drain()
        except OSError as error:
            self._is_busy = False
            raise RefusalError(500, f"no process for the run: {error.strerror}") from error
        self._worker = worker
        self.state = RunState(name=name, state="running", began=time.time())
        self._task = asyncio.create_task(self._follow(worker, self.state))

    async def _follow(self, worker: Process, state: RunState) -> None:
        assert worker.stdout is not None
        try:
            while line := await worker.stdout.readline():
                _update(state, json.loads(line))
            await worker.wait()
        finally:
            if state.state == "running":  # it ended without a report
                state.state = "stopped" if worker.returncode in (0, -signal.SIGTERM) else "failed"
                state.error = "the process of the run ended; see the same run in a terminal"
            state.seconds = time.time() - state.began
            self._is_busy = False
        with contextlib.suppress(OSError):
            await self.prepare()

    def stop(self) -> None:
        """End the run; nothing of it is kept."""
        if self._is_busy and self._worker is not None and self.state.state == "running":
            _send(self._worker, signal.SIGTERM)
            loop = asyncio.get_running_loop()
            loop.call_later(PATIENCE, _send, self._worker, getattr(signal, "SIGKILL", 15))

    async def close(self) -> None:
        """End all processes, and wait until they have ended."""
        self.stop()
        if self._task is not None:
            self._task.cancel()  # it would start the process of another run
        for process in (self._spare, self._worker):
            if process is not None:
                _send(process, signal.SIGTERM)
                await process.wait()


def _update(state: RunState, message: dict[str, Any]) -> None:
    """Update the state by a message of the worker."""
    if "error" in message:
        state.state, state.error = "failed", message["error"]
        state.joint = joint_of(state.error)
    elif "study" in message:
        state.state, state.study, state.text = "done", message["study"], message["text"]
    elif "verdict" in message:
        state.state, state.verdict, state.id = "done", message["verdict"], message["id"]
    elif "stopped" in message:
        state.state = "stopped"
    else:
        state.phase = message.get("phase", state.phase)
        state.share = message.get("share", state.share)


def _send(process: Process, number: int) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)
