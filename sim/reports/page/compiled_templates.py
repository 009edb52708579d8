"""Templates that are compiled once and then read from the user's cache folder."""

from __future__ import annotations

import importlib.util
import marshal
from collections.abc import MutableMapping
from types import CodeType
from typing import Any

import jinja2
import numpy as np

from sim.disk_cache import Arrays, cached_arrays


class CompiledTemplates(jinja2.FileSystemLoader):
    """Templates of a folder; a changed template and another version of Jinja or Python are seen."""

    def load(
        self,
        environment: jinja2.Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,
    ) -> jinja2.Template:
        """Return a template by name."""
        source, path, is_current = self.get_source(environment, name)

        def compiled_template() -> Arrays:
            code: CodeType = environment.compile(source, name, path)
            return (np.frombuffer(marshal.dumps(code), np.uint8),)

        key = (source, path, str(environment.autoescape))
        data = [importlib.util.MAGIC_NUMBER, *(text.encode() for text in key)]
        (block,) = cached_arrays(data, compiled_template, packages=["jinja2"])
        code = marshal.loads(block.tobytes())
        return environment.template_class.from_code(environment, code, globals or {}, is_current)
