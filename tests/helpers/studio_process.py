"""The window's server in a process of its own, and requests as any program could send them."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SIM = (sys.executable, "-m", "sim")
PATIENCE = 60  # s


class StudioProcess:
    """A server of a folder; a context that ends it.

    It is that of `sim studio`, or of another command in the folder, with a browser that does
    nothing.
    """

    def __init__(self, folder: Path, *command: str):
        self.folder = folder
        self.process = subprocess.Popen(
            [*SIM, *(command or ("studio", str(folder), "--no-browser"))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder if command else Path(__file__).parents[2],
            env={**os.environ, "BROWSER": "true"},
        )
        line = self.process.stdout.readline()
        self.address = line.split()[1] if line else self.process.stderr.read()
        parts = urlsplit(self.address)
        self.host, self.port, self.token = parts.netloc, parts.port, parts.path.strip("/")

    def __enter__(self) -> StudioProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def raw(
        self, method: str, path: str, headers: dict[str, str], body: Any = None
    ) -> tuple[int, bytes]:
        """Status and body of a request with these headers and no others but Host."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": self.host, **headers}.items():
                for one in value if isinstance(value, list) else [value]:
                    connection.putheader(name, one)
            if body is not None and "Content-Length" not in headers:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(self, method: str, path: str, content: Any = None) -> tuple[int, Any]:
        """Status and content of a request as the window sends it."""
        headers = {"Origin": f"http://{self.host}"} if method != "GET" else {}
        body = content if isinstance(content, bytes) else None
        if content is not None and body is None:
            body, headers["Content-Type"] = json.dumps(content).encode(), "application/json"
        status, data = self.raw(method, f"/{self.token}/api/{path}", headers, body)
        try:
            return status, json.loads(data)
        except ValueError:
            return status, data.decode("utf-8", "replace")
