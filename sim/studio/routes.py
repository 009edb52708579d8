"""Routes of the window's server."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from sim.errors import SimError
from sim.reports.page.glb_scene import scene_of
from sim.studio.actions import (
    Actions,
    answer_failure,
    answer_refusal,
    as_json,
    body_of,
    in_turn,
    page_of,
)
from sim.studio.assets import asset, index_of
from sim.studio.commands import line_of
from sim.studio.folder import Folder
from sim.studio.guard import Keys
from sim.studio.parameters import numbers_of
from sim.studio.preview import preview, require_usable
from sim.studio.refusal import RefusalError
from sim.studio.robot_facts import catalogue, robot_facts
from sim.studio.robot_source import (
    deck_facts,
    deck_path,
    load_deck_of,
    load_plain_robot,
    place_robot,
    require_inside,
    robot_names,
)
from sim.studio.run_list import existing_page, list_runs, overlay_page, run_page
from sim.studio.setup import DECK, CurveRequest, Drive, Setup
from sim.studio.studies import (
    StudyRequest,
    list_studies,
    new_study,
    require_studied,
    study_command,
    study_page,
)
from sim.studio.templates import TemplateRequest, expand_template, template_arguments
from sim.studio.tool_paths import Shape, path_functions
from sim.studio.typed_curves import curve
from sim.studio.worker_link import WorkerLink
from sim.studio.write_script import write_script

# Computed before the user's first input, so that all modules of a preview are loaded.
FIRST = Setup("ur10", drives={"elbow_joint": Drive("velocity", "STEP(time,0,0,1,1d)")})


class SaveRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A script to be saved, if it is still `base`."""

    setup: Setup
    base: str | None = None


class RunRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A script to be run, if it is unchanged since the window saved it."""

    name: str
    sha256: str


class DeckRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A deck to be run for a duration, sampled every step [s]."""

    deck: str
    duration: float
    dt: float


_CURVE = msgspec.json.Decoder(CurveRequest)
_DECK = msgspec.json.Decoder(DeckRequest)
_RUN = msgspec.json.Decoder(RunRequest)
_SAVE = msgspec.json.Decoder(SaveRequest)
_SETUP = msgspec.json.Decoder(Setup)
_STUDY = msgspec.json.Decoder(StudyRequest)
_SHAPE: msgspec.json.Decoder[Shape] = msgspec.json.Decoder(Shape)
_TEMPLATE = msgspec.json.Decoder(TemplateRequest)


@dataclass(frozen=True)
class Routes:
    """Routes of one window.

    Parameters
    ----------
    folder : Folder
    keys : Keys
    worker : WorkerLink
    actions : Actions
    given : Path or None
        A page of runs, wherever it is.
    """

    folder: Folder
    keys: Keys
    worker: WorkerLink
    actions: Actions
    given: Path | None = None

    def application(self) -> Starlette:
        """Return the application, without its guard."""
        api = [
            Route("/robots", self.robots),
            Route("/robot", self.robot),
            Route("/catalogue", self.catalogue),
            Route("/scene", self.scene),
            Route("/file", self.take_file, methods=["POST"]),
            Route("/template", self.template),
            Route("/template", self.expand, methods=["POST"]),
            Route("/audit", self.actions.audit, methods=["POST"]),
            Route("/curve", self.curve, methods=["POST"]),
            Route("/preview", self.preview, methods=["POST"]),
            Route("/path", self.path, methods=["POST"]),
            Route("/script", self.script, methods=["POST"]),
            Route("/scripts", self.scripts),
            Route("/scripts/{name}", self.open_script),
            Route("/scripts/{name}", self.save, methods=["PUT"]),
            Route("/run", self.run_state),
            Route("/run", self.start_run, methods=["POST"]),
            Route("/deck", self.start_deck, methods=["POST"]),
            Route("/numbers", self.numbers, methods=["POST"]),
            Route("/studies", self.studies),
            Route("/study", self.study, methods=["POST"]),
            Route("/run", self.stop_run, methods=["DELETE"]),
            Route("/runs", self.runs),
            Route("/runs/{name}/{id}", self.actions.delete, methods=["DELETE"]),
            Route("/runs/{name}/{id}/accept", self.actions.accept, methods=["POST"]),
            Route("/runs/{name}/{id}/export", self.actions.export, methods=["POST"]),
            Route("/runs/{name}/{id}/limits", self.actions.limits, methods=["POST"]),
            Route("/overlay", self.actions.overlay, methods=["POST"]),
        ]
        window = [Route("/", index_of(self.keys)), Route("/static/{name}", asset)]
        pages = [
            Route("/run/{name}/{id}", self.run_page),
            Route("/overlay/{name}", self.overlay_page),
            Route("/study/{id}", self.study_page),
            *([] if self.given is None else [Route("/given", self.given_page)]),
        ]
        application = Starlette(
            routes=[
                Mount(f"/{self.keys.window}", routes=[*window, Mount("/api", routes=api)]),
                Mount(f"/{self.keys.pages}", routes=pages),
            ],
            exception_handlers={RefusalError: answer_refusal, SimError: answer_failure},
            lifespan=self._lifespan,
        )
        application.router.redirect_slashes = False
        return application

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        with contextlib.suppress(OSError):  # it is tried again for a run, which reports the reason
            await self.worker.prepare()
        warm = asyncio.create_task(in_turn(preview, self.folder, FIRST))
        yield
        warm.cancel()
        await self.worker.close()

    async def robots(self, _: Request) -> Response:
        """Return names of all robots."""
        return as_json(await in_turn(robot_names, self.folder))

    async def robot(self, request: Request) -> Response:
        """Return the facts about a robot."""
        name, tool, mount = (request.query_params.get(k, "") for k in ("name", "tool", "mount"))

        def facts() -> dict[str, Any]:
            rows = robot_facts(place_robot(load_plain_robot(self.folder, name, tool), mount))
            if DECK.fullmatch(name):
                rows["deck"] = deck_facts(load_deck_of(self.folder, name))
            return rows

        return as_json(await in_turn(facts))

    async def catalogue(self, _: Request) -> Response:
        """Return drive trains by motor and gear."""
        return as_json(await in_turn(catalogue))

    async def scene(self, request: Request) -> Response:
        """Return the shapes of a robot."""
        name, mount = (request.query_params.get(key, "") for key in ("name", "mount"))

        def glb() -> bytes:
            return scene_of(place_robot(load_plain_robot(self.folder, name), mount))

        return Response(await in_turn(glb), media_type="model/gltf-binary")

    async def take_file(self, request: Request) -> Response:
        """Store a robot file, a mesh or a deck."""
        inside, data = request.query_params.get("path", ""), await request.body()

        def store() -> str:
            if inside.lower().endswith((".xml", ".sdf")):
                require_inside(data, inside)
            if inside.endswith(".adm"):
                return self.folder.save_deck(inside, data)
            return self.folder.save_robot_file(inside, data)

        return as_json({"name": await in_turn(store)})

    async def template(self, request: Request) -> Response:
        """Return the arguments of a xacro template."""
        name = request.query_params.get("name", "")
        return as_json(await in_turn(template_arguments, self.folder, name))

    async def expand(self, request: Request) -> Response:
        """Write the URDF of a xacro template, in a process confined to the folder."""
        body = await body_of(request, _TEMPLATE)
        name = await in_turn(expand_template, self.folder, body)
        return as_json({"name": name})

    async def curve(self, request: Request) -> Response:
        """Return the curve of a function that is being typed."""
        body = await body_of(request, _CURVE)
        return as_json(await in_turn(curve, body))

    async def preview(self, request: Request) -> Response:
        """Return curves, motion and torques of a setup."""
        setup = await body_of(request, _SETUP)
        return as_json(await in_turn(preview, self.folder, setup))

    async def path(self, request: Request) -> Response:
        """Return the functions of a tool path."""
        return as_json(path_functions(await body_of(request, _SHAPE)))

    async def script(self, request: Request) -> Response:
        """Return the script of a setup; nothing is stored."""
        return PlainTextResponse(write_script(await body_of(request, _SETUP)))

    async def scripts(self, _: Request) -> Response:
        """Return the scripts in the folder."""

        def rows() -> list[dict[str, object]]:
            names = [path.stem for path in self.folder.scripts()]
            return [{"name": name, "owner": self.folder.owner(name)} for name in names]

        return as_json(await in_turn(rows))

    async def open_script(self, request: Request) -> Response:
        """Return a script as a setup, if possible."""
        name = request.path_params["name"]
        text, opened, sha256 = await in_turn(self.folder.read, name)
        return as_json({**msgspec.to_builtins(opened), "text": text, "sha256": sha256})

    async def save(self, request: Request) -> Response:
        """Write the script of a setup into the folder."""
        name, body = request.path_params["name"], await body_of(request, _SAVE)

        def store() -> str:
            require_usable(self.folder, body.setup)
            return self.folder.save_script(name, write_script(body.setup), body.base)

        return as_json({"sha256": await in_turn(store)})

    async def run_state(self, _: Request) -> Response:
        """Return the state of the run."""
        return as_json(msgspec.to_builtins(self.worker.state))

    async def start_run(self, request: Request) -> Response:
        """Run a script that the forms have written."""
        body = await body_of(request, _RUN)
        await in_turn(self.folder.require_saved, body.name, body.sha256)
        await self.worker.start(self.folder.script(body.name))
        return as_json({})

    async def start_deck(self, request: Request) -> Response:
        """Run a deck."""
        body = await body_of(request, _DECK)
        setup = Setup(body.deck, duration=body.duration, dt=body.dt)
        if not setup.is_deck:
            raise RefusalError(422, f"{body.deck} is no deck of the folder")
        await in_turn(require_usable, self.folder, setup)
        settings = {"duration": body.duration, "dt": body.dt}
        await self.worker.start(deck_path(self.folder, body.deck), settings)
        return as_json({})

    async def numbers(self, request: Request) -> Response:
        """Return the numbers of a setup that a study can vary, by name."""
        return as_json(numbers_of(await body_of(request, _SETUP)))

    async def study(self, request: Request) -> Response:
        """Start a study, or return its command."""
        body = await body_of(request, _STUDY)
        arguments = study_command(body)
        if body.sha256:
            await in_turn(require_studied, self.folder, body)
            out = new_study(self.folder, body)
            cases = math.prod(one.count for one in body.vary) if body.kind == "sweep" else 0
            await self.worker.study(body.name, arguments, out, cases)
        return as_json({"command": line_of(*arguments)})

    async def studies(self, _: Request) -> Response:
        """Return the studies in the folder."""
        return as_json(await in_turn(list_studies, self.folder))

    async def study_page(self, request: Request) -> Response:
        """Return the page of a study."""
        return page_of(study_page(self.folder, request.path_params["id"]))

    async def stop_run(self, _: Request) -> Response:
        """Stop the run or the study."""
        self.worker.stop()
        return as_json({})

    async def runs(self, _: Request) -> Response:
        """Return the runs in the folder."""
        return as_json(await in_turn(list_runs, self.folder))

    async def run_page(self, request: Request) -> Response:
        """Return the page of a run."""
        name, identifier = request.path_params["name"], request.path_params["id"]
        return page_of(run_page(self.folder, name, identifier))

    async def overlay_page(self, request: Request) -> Response:
        """Return the page of two runs."""
        return page_of(overlay_page(self.folder, request.path_params["name"]))

    async def given_page(self, _: Request) -> Response:
        """Return the page that was named where the server was started."""
        assert self.given is not None
        return page_of(existing_page(self.given))
