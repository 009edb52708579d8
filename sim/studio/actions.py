"""Requests answered by `sim` commands, with the equivalent command line, and their bodies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from sim.studio.commands import line_of, run_command
from sim.studio.folder import Folder
from sim.studio.refusal import RefusalError
from sim.studio.robot_source import robot_path
from sim.studio.run_list import OVERLAYS, overlay_name, peaks_side_by_side, run_folder
from sim.studio.worker_link import WorkerLink

# A run's page may contain parts of a foreign robot file: it has no origin and no access.
RUN_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"

Body = TypeVar("Body")
Result = TypeVar("Result")


# One thread: if two build the type of one struct at the same time, msgspec crashes the process.
_WORKER = ThreadPoolExecutor(1, "studio")


async def in_turn(function: Callable[..., Result], *arguments: Any) -> Result:
    """Run a loading or computing function in another thread, one at a time; return its result."""
    work = partial(function, *arguments)
    return await asyncio.get_running_loop().run_in_executor(_WORKER, work)


async def body_of(request: Request, decoder: msgspec.json.Decoder[Body]) -> Body:
    """Return the checked body of a request; decoders are created when their modules are loaded.

    Raises
    ------
    RefusalError
        If it is not JSON of this shape.
    """
    if request.headers.get("content-type") != "application/json":
        raise RefusalError(415, "JSON is expected")
    try:
        return decoder.decode(await request.body())
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise RefusalError(422, str(error)) from error


RunName = tuple[str, str]
FIXED = "_fixed.urdf"
EXPORTS = "exports"


def as_json(content: Any) -> Response:
    """Return a response of JSON; NaN and inf are null."""
    return Response(msgspec.json.encode(content, enc_hook=float), media_type="application/json")


def page_of(path: Path) -> Response:
    """Return a page of a run, without an origin."""
    headers = {"Content-Security-Policy": RUN_POLICY}
    return Response(path.read_bytes(), media_type="text/html", headers=headers)


async def answer_refusal(_: Request, error: Exception) -> Response:
    """Return the response to a refused request."""
    assert isinstance(error, RefusalError)
    return PlainTextResponse(error.reason, error.status)


async def answer_failure(_: Request, error: Exception) -> Response:
    """Return the response to an invalid input."""
    return PlainTextResponse(str(error), 422)


class AuditRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A robot to be audited, and whether its file is to be fixed."""

    robot: str
    fix: bool = False


class AcceptRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Reason for accepting a run as the baseline of its scenario."""

    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class ExportRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Format of an exported run, by suffix."""

    ending: Literal["csv", "xlsx", "mat", "adm"]


class OverlayRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Two runs to be overlaid, by name and time."""

    runs: tuple[RunName, RunName]


_ACCEPT = msgspec.json.Decoder(AcceptRequest)
_AUDIT = msgspec.json.Decoder(AuditRequest)
_EXPORT = msgspec.json.Decoder(ExportRequest)
_OVERLAY = msgspec.json.Decoder(OverlayRequest)


@dataclass(frozen=True)
class Actions:
    """Actions of the window that run commands.

    Parameters
    ----------
    folder : Folder
    worker : WorkerLink
    command : list of str
        Command line of `sim`.
    """

    folder: Folder
    worker: WorkerLink
    command: list[str]

    async def audit(self, request: Request) -> Response:
        """Audit a robot; with `fix`, audit the corrected file written next to it."""
        body = await body_of(request, _AUDIT)
        source = robot_path(self.folder, body.robot)
        arguments = ["audit", body.robot, "--json"]
        fixed = None
        if isinstance(source, Path):
            arguments += ["--meshes-below", "."]
        if body.fix:
            if not isinstance(source, Path):
                raise RefusalError(422, "a shipped robot has nothing to fix")
            fixed = f"{body.robot.rpartition('.')[0]}{FIXED}"
            arguments += ["--fix", self._inside(fixed)]
        out = await run_command(self.command, self.folder.path, *arguments)
        command = line_of(*[one for one in arguments if one != "--json"])
        return as_json({"audit": msgspec.json.decode(out), "fixed": fixed, "command": command})

    async def accept(self, request: Request) -> Response:
        """Make a run the baseline of its scenario."""
        body = await body_of(request, _ACCEPT)
        path = self._run(request)
        arguments = ("accept", self._relative(path), "--reason", body.reason)
        await run_command(self.command, self.folder.path, *arguments)
        return as_json({"command": line_of(*arguments)})

    async def export(self, request: Request) -> Response:
        """Export a run as a table or as an ADAMS deck, into a file below the folder."""
        body = await body_of(request, _EXPORT)
        path = self._run(request)
        out = self._inside(f"{EXPORTS}/{path.parent.name}_{path.name}.{body.ending}")
        self.folder.below(EXPORTS).mkdir(exist_ok=True)
        arguments = ("export", self._relative(path), out)
        await run_command(self.command, self.folder.path, *arguments)
        return as_json({"file": out, "command": line_of(*arguments)})

    async def limits(self, request: Request) -> Response:
        """Return the largest speed and payload of a run within its ratings, as printed."""
        arguments = ("fit-time", self._relative(self._run(request)), "--payload")
        text = await run_command(self.command, self.folder.path, *arguments)
        return as_json({"text": text, "command": line_of(*arguments)})

    async def delete(self, request: Request) -> Response:
        """Move a run into the trash below the folder."""
        path = self._run(request)
        if self.worker.state.state == "running" and self.worker.state.name == path.parent.name:
            raise RefusalError(409, f"{path.parent.name} is running")
        return as_json({"trash": self.folder.move_to_trash(path)})

    async def overlay(self, request: Request) -> Response:
        """Write the page of two runs, and compare their peaks."""
        body = await body_of(request, _OVERLAY)
        pair = [run_folder(self.folder, *one) for one in body.runs]
        name = overlay_name(pair)
        self.folder.below(OVERLAYS).mkdir(parents=True, exist_ok=True)
        out = self._inside(f"{OVERLAYS}/{name}")
        arguments = ("report", *map(self._relative, pair), "--out", out)
        await run_command(self.command, self.folder.path, *arguments)
        peaks = await in_turn(peaks_side_by_side, self.folder, pair)
        return as_json({"page": name, "peaks": peaks, "command": line_of(*arguments)})

    def _run(self, request: Request) -> Path:
        return run_folder(self.folder, request.path_params["name"], request.path_params["id"])

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.folder.path).as_posix()

    def _inside(self, path: str) -> str:
        return self._relative(self.folder.below(path))
