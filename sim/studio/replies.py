"""Bodies of requests and responses of the window's server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from sim.studio.refusal import RefusalError

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
