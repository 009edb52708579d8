"""Files of the window: its page, scripts and styles, by the names in their addresses."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sim.engine_names import ENGINES, default_engine
from sim.recording.schema.provenance import of_this_process
from sim.reports.page.page import script_of
from sim.reports.page.standalone import asset as page_asset
from sim.studio.guard import Keys
from sim.studio.refusal import RefusalError

PAGE = Path(__file__).parent / "page"
SCRIPTS = ("axes.js", "store.js", "ticks.js")  # of the pages of runs
BUNDLES = ("robot", "teach")
STYLES = ("style.css", "vendor/uPlot.min.css", "teach_panel.css")
TYPES = {".js": "text/javascript", ".css": "text/css"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self' blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def index_of(keys: Keys) -> Any:
    """Return the endpoint of the window's page, with the address of the run pages."""
    version = of_this_process().versions["sim"]

    async def index(_: Request) -> Response:
        text = (PAGE / "studio.html").read_text("utf-8")
        text = text.replace("PAGES", f"/{keys.pages}/").replace("VERSION", version)
        text = text.replace("ENGINE", ENGINES[default_engine()].title)
        headers = {"Content-Security-Policy": POLICY}
        return Response(text, media_type="text/html", headers=headers)

    return index


async def asset(request: Request) -> Response:
    """Return a script or style of the window by its name, which must be known."""
    name = request.path_params["name"]
    if name not in (texts := _texts()):
        raise RefusalError(404, "nothing here")
    return Response(texts[name], media_type=TYPES[Path(name).suffix])


@cache
def _texts() -> dict[str, str]:
    """Return what the window loads; the styles, for which its first paint waits, are one."""
    scripts = {path.name: path.read_text("utf-8") for path in PAGE.glob("*.js")}
    bundles = {f"{name}.min.js": script_of(name) for name in BUNDLES}
    shared = {name: page_asset(name) for name in SCRIPTS}
    style = "".join(map(page_asset, STYLES)) + (PAGE / "studio.css").read_text("utf-8")
    charts = page_asset("vendor/uPlot.min.js")
    return scripts | bundles | shared | {"uPlot.min.js": charts, "studio.css": style}
