"""Interfaces of packages: a name is loaded where it is first used.

Python executes the ``__init__.py`` of each package above a file that it imports. Importing all
names of an interface there would load half of `sim` for any one file of it.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


def load_names_on_use(package: str) -> None:
    """Let a package load each name of its ``__all__`` where it is first used.

    Parameters
    ----------
    package : str
        Its ``__name__``. It imports its names under ``TYPE_CHECKING``: for type checkers, and as
        the table of where each name is defined.
    """
    sys.modules[package].__class__ = _Interface


class _Interface(ModuleType):
    __all__: list[str]

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("__all__", ()):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if "_homes" not in self.__dict__:
            self.__dict__["_homes"] = _homes(self)
        value = getattr(importlib.import_module(self.__dict__["_homes"][name]), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python binds a file to its package once it is loaded. Where the interface has a name of
        # the same spelling, that is what is meant.
        if not (isinstance(value, ModuleType) and name in self.__dict__.get("__all__", ())):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return self.__all__


def _homes(package: ModuleType) -> dict[str, str]:
    """The module that defines each name of an interface, from the imports in its source."""
    import ast
    import inspect

    return {
        alias.name: str(node.module)
        for node in ast.walk(ast.parse(inspect.getsource(package)))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
