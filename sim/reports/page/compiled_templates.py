"""Templates, compiled once and cached where Python keeps compiled files."""

from __future__ import annotations

import hashlib
from collections.abc import MutableMapping
from functools import cached_property
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

import jinja2


class CompiledTemplates(jinja2.FileSystemLoader):
    """Templates of a folder; compiled code is cached in ``__pycache__``."""

    def load(
        self,
        environment: jinja2.Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,
    ) -> jinja2.Template:
        """Return a template by name."""
        source, path, is_current = self.get_source(environment, name)
        code = _Template(environment, name, path, source).get_code(name)
        if code is None:  # allowed by Python's interface
            raise jinja2.TemplateNotFound(name)
        return environment.template_class.from_code(environment, code, globals or {}, is_current)


class _Template(SourceFileLoader):
    """A template in the form in which Python loads the source of a module."""

    def __init__(self, environment: jinja2.Environment, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.environment, self.source = environment, source

    @cached_property
    def time(self) -> int:
        """Key of the compiled file, in place of the modification time."""
        text = f"{jinja2.__version__}\0{self.environment.autoescape}\0{self.source}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")

    def path_stats(self, path: str) -> dict[str, Any]:
        """Return size and modification time, which Python compares with a compiled file."""
        return {**super().path_stats(path), "mtime": self.time}

    def source_to_code(self, *_: object, **__: object) -> CodeType:  # type: ignore[override]
        """Return the template compiled by Jinja."""
        return self.environment.compile(self.source, self.name, self.path)
