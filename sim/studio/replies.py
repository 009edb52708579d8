"""Bodies of requests and responses of the window's server."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from sim.studio.refusal import RefusalError

# A run's page may hold what a foreign robot file holds: it has no origin and can ask for nothing.
RUN_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"

Body = TypeVar("Body")


async def body_of(request: Request, kind: type[Body]) -> Body:
    """The body of a request, checked.

    Raises
    ------
    RefusalError
        If it is not JSON of this shape.
    """
    if request.headers.get("content-type") != "application/json":
        raise RefusalError(415, "JSON is expected")
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise RefusalError(422, str(error)) from error


def as_json(content: Any) -> Response:
    """A response of JSON; what is not finite is null."""
    return Response(msgspec.json.encode(content, enc_hook=float), media_type="application/json")


def page_of(path: Path) -> Response:
    """A page of a run, which gets no origin."""
    headers = {"Content-Security-Policy": RUN_POLICY}
    return Response(path.read_bytes(), media_type="text/html", headers=headers)


async def refused(_: Request, error: Exception) -> Response:
    """The response to what is refused."""
    assert isinstance(error, RefusalError)
    return PlainTextResponse(error.reason, error.status)


async def failed(_: Request, error: Exception) -> Response:
    """The response to an input that cannot be used."""
    return PlainTextResponse(str(error), 422)
