"""Guard that refuses requests from outside the window before any route."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sim.studio.refusal import RefusalError

LARGEST_JSON = 1_000_000  # largest size of a request
LARGEST_FILE = 30_000_000  # largest size of a robot file or mesh
SINGLE = (b"host", b"origin", b"content-length")
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


@dataclass(frozen=True)
class Keys:
    """Secrets in the address: of the window, and of run pages, which give no other access."""

    window: str
    pages: str

    @classmethod
    def draw(cls) -> Keys:
        """Return new random keys of 192 bits."""
        return cls(secrets.token_urlsafe(24), secrets.token_urlsafe(24))


class Guard:
    """An application that answers only this machine's own window.

    Parameters
    ----------
    application : ASGIApp
    hosts : set of str
        Values of ``Host`` that are this server.
    keys : Keys
    """

    def __init__(self, application: ASGIApp, hosts: set[str], keys: Keys) -> None:
        self.application, self.hosts, self.keys = application, hosts, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        elif refusal := self._refusal(scope):
            await PlainTextResponse(refusal.reason, refusal.status)(scope, receive, send)
        else:
            await self.application(scope, _limit_body(receive, _limit(scope)), _with_headers(send))

    def _refusal(self, scope: Scope) -> RefusalError | None:
        """Return why a request is refused; None if it is granted."""
        names = [name for name, _ in scope["headers"]]
        if any(names.count(name) > 1 for name in SINGLE):
            return RefusalError(400, "a header is there twice")
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if host not in self.hosts:
            return RefusalError(421, "this server answers its own address only")
        reads = scope["method"] in ("GET", "HEAD")
        is_window = self._is_key(scope, self.keys.window)
        if not (is_window or (reads and self._is_key(scope, self.keys.pages))):
            return RefusalError(404, "nothing here")
        origin = headers.get(b"origin", b"").decode("latin-1")
        is_foreign = origin != f"http://{host}" and (bool(origin) or not reads)
        site = headers.get(b"sec-fetch-site", b"none")
        if is_foreign or (is_window and site not in (b"none", b"same-origin")):
            return RefusalError(403, "only the window's own page may ask this")
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > _limit(scope):
            return RefusalError(413, f"at most {_limit(scope)} bytes are taken")
        return None

    def _is_key(self, scope: Scope, key: str) -> bool:
        first = str(scope["path"]).removeprefix("/").partition("/")[0]
        return secrets.compare_digest(first.encode(), key.encode())


def _limit(scope: Scope) -> int:
    """Return the largest size of a request's body."""
    return LARGEST_FILE if str(scope["path"]).endswith("/api/file") else LARGEST_JSON


def _limit_body(receive: Receive, limit: int) -> Receive:
    """Return a receiver that counts the bytes read, since a chunked body states no length."""
    n_bytes = 0

    async def receive_counted() -> Message:
        nonlocal n_bytes
        message = await receive()
        n_bytes += len(message.get("body", b""))
        if n_bytes > limit:
            raise RefusalError(413, f"at most {limit} bytes are taken")
        return message

    return receive_counted


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *HEADERS]
        await send(message)

    return send_with_headers
