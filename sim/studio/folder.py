"""Files of a user's folder that the window reads and writes."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from sim.recording.files.locks import exclusive
from sim.recording.files.whole_files import refusal, write_bytes
from sim.studio.read_script import LARGEST, OpenedScript, read_script
from sim.studio.refusal import RefusalError
from sim.studio.setup import DECK, NAME, Setup

ROBOTS = "robots"
TRASH = ".studio_trash"
DECKS = "decks"
KINDS = (
    *(".urdf", ".xml", ".sdf", ".xacro", ".yaml", ".yml"),
    *(".stl", ".obj", ".dae", ".mtl", ".png", ".jpg", ".jpeg"),
)
_PART = re.compile(r"[A-Za-z0-9][\w.-]{0,79}", re.ASCII)
_DEEPEST = 5  # levels of folders below robots/
MOST_COPIES = 100  # with one name


class _TakenError(RefusalError):
    """Another file has the name."""


class Folder:
    """A folder that no request of the window can leave.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def below(self, inside: str) -> Path:
        """Return a path in the folder.

        Raises
        ------
        RefusalError
            If it is outside the folder, also by a symbolic link.
        """
        path = self.path / inside
        if path.resolve() != path or not path.is_relative_to(self.path):
            raise RefusalError(422, f"{inside} is not below the folder")
        return path

    def script(self, name: str) -> Path:
        """Return the file of a script.

        Raises
        ------
        RefusalError
            If the name is invalid.
        """
        if not NAME.fullmatch(name):
            raise RefusalError(
                422,
                "the name of a script begins with a lower-case letter and has at most 40 letters, "
                "digits and _",
            )
        return self.below(f"{name}.py")

    def scripts(self) -> list[Path]:
        """Return scripts directly in the folder, by name."""
        files = (path for path in sorted(self.path.glob("*.py")) if NAME.fullmatch(path.stem))
        return [path for path in files if path.resolve() == path and path.is_file()]

    def read(self, name: str) -> tuple[str, OpenedScript, str]:
        """Return the text of a script, its content for the forms, and its hash.

        Raises
        ------
        RefusalError
            If there is none, or it is too long.
        """
        path = self.script(name)
        if not path.is_file():
            raise RefusalError(404, f"there is no {path.name} in the folder")
        if path.stat().st_size > LARGEST:
            raise RefusalError(422, f"{path.name} has more than {LARGEST} bytes")
        data = path.read_bytes()
        text = data.decode("utf-8", "replace")
        return text, read_script(text), digest(data)

    def require_saved(self, name: str, sha256: str) -> Setup:
        """Return the setup of a script that the forms wrote and that is unchanged.

        Raises
        ------
        RefusalError
            If there is none.
        """
        _, opened, now = self.read(name)
        if now != sha256 or opened.owner != "forms" or opened.setup is None:
            raise RefusalError(409, f"{name}.py was changed since the window saved it")
        return opened.setup

    def owner(self, name: str) -> str:
        """Return the owner of a script; an unreadable file may not be overwritten."""
        try:
            return self.read(name)[1].owner
        except (RefusalError, OSError):
            return "hand"

    def save_script(self, name: str, text: str, base: str | None) -> str:
        """Write a script whole or not at all; return the hash of its bytes.

        Parameters
        ----------
        name : str
        text : str
        base : str or None
            Hash of the file from which the text was made; None for a new file.

        Raises
        ------
        RefusalError
            If the file has changed meanwhile, or was edited beyond the forms.
        """
        path, data = self.script(name), text.encode()
        with self._exclude_others():
            now = digest(path.read_bytes()) if path.is_file() else None
            if now == digest(data):
                return now
            if now is not None and self.read(name)[1].owner != "forms":
                raise RefusalError(
                    409, f"{path.name} was changed beyond the forms; it is not overwritten"
                )
            if now != base:
                raise RefusalError(409, f"{path.name} is in the folder already, with other content")
            self._write(path, data)
        return digest(data)

    def save_robot_file(self, inside: str, data: bytes) -> str:
        """Write a robot file or a mesh below ``robots/``; return its path in the folder.

        Raises
        ------
        RefusalError
            If the name is invalid, or another file has it.
        """
        parts = inside.split("/")
        well = all(_PART.fullmatch(part) for part in parts) and len(parts) <= _DEEPEST
        if not well or not inside.lower().endswith(KINDS):
            raise RefusalError(
                422,
                f"robot files end with {', '.join(KINDS)}; their names have letters, digits, "
                ". _ and - only",
            )
        return self._save_new(f"{ROBOTS}/{inside}", data)

    def save_first_free(self, stem: str, ending: str, data: bytes) -> str:
        """Write a robot file under the first name free of other content: x, x_2 and so on.

        Raises
        ------
        RefusalError
            If the name is invalid.
        """
        for number in range(1, MOST_COPIES):
            inside = f"{stem}{'' if number == 1 else f'_{number}'}{ending}"
            with contextlib.suppress(_TakenError):
                return self.save_robot_file(inside, data)
        raise RefusalError(409, f"{stem}{ending} is in the folder {MOST_COPIES} times")

    def save_deck(self, inside: str, data: bytes) -> str:
        """Write a deck below ``decks/``; return its path in the folder.

        Raises
        ------
        RefusalError
            If the name is invalid, or another file has it.
        """
        if not DECK.fullmatch(f"{DECKS}/{inside}"):
            raise RefusalError(
                422,
                "the name of a deck begins with a lower-case letter, has at most 40 letters, "
                "digits and _, and ends with .adm",
            )
        return self._save_new(f"{DECKS}/{inside}", data)

    def _save_new(self, inside: str, data: bytes) -> str:
        path = self.below(inside)
        with self._exclude_others():
            if path.is_file() and digest(path.read_bytes()) != digest(data):
                raise _TakenError(
                    409,
                    f"{inside} is in the folder already and differs; rename yours or move that "
                    "file away",
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write(path, data)
        return inside

    def move_to_trash(self, path: Path) -> str:
        """Move a file or folder into the trash below the folder; return its new path."""
        inside = path.relative_to(self.path)
        with self._exclude_others():
            place = self.path / TRASH / inside
            number = 1
            while place.exists():
                number += 1
                place = self.path / TRASH / f"{inside}.{number}"
            place.parent.mkdir(parents=True, exist_ok=True)
            path.rename(place)
        return str(place.relative_to(self.path))

    def _write(self, path: Path, data: bytes) -> None:
        try:
            write_bytes(path, data)
        except OSError as error:
            raise RefusalError(507, f"cannot write {path.name}: {refusal(error)}") from error

    @contextlib.contextmanager
    def _exclude_others(self) -> Iterator[None]:
        """Exclude writes by other windows or servers during the block."""
        with exclusive(self.path):
            yield


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, hexadecimal."""
    return hashlib.sha256(data).hexdigest()
