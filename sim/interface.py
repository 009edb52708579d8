"""Interfaces of packages: a name is loaded where it is first used.

Python executes the ``__init__.py`` of each package above a file that it imports. Importing all
names of an interface there would load half of `sim` for any one file of it.
"""

from __future__ import annotations

import importlib
import re
import sys
from types import ModuleType
from typing import Any

_IMPORT = re.compile(r"^ +from (sim\.\S+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def load_names_on_use(package: str) -> None:
    """Let a package load each of its names where it is first used.

    Parameters
    ----------
    package : str
        Its ``__name__``. It imports its names under ``TYPE_CHECKING``: for type checkers, and as
        the table of where each name is defined. They are its ``__all__``, unless it has one.
    """
    sys.modules[package].__class__ = _Interface


class _Interface(ModuleType):
    def __getattr__(self, name: str) -> Any:
        homes = self._names_and_homes()
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python binds a submodule to its package once it is loaded. If the interface has a name
        # with the same spelling, that name is kept.
        if not (isinstance(value, ModuleType) and name in self._names_and_homes()):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return list(self.__all__)

    def _names_and_homes(self) -> dict[str, str]:
        """Return the module that defines each name, from the imports in the source."""
        if "_homes" not in self.__dict__:
            source = self.__dict__["__loader__"].get_data(self.__file__).decode()
            self.__dict__["_homes"] = {
                name: module
                for module, several, one in _IMPORT.findall(source)
                for name in re.findall(r"\w+", several or one)
            }
        homes: dict[str, str] = self.__dict__["_homes"]
        return homes
