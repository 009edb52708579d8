"""Refusal of a request, and its reason."""

from __future__ import annotations


class RefusalError(Exception):
    """A request is not granted.

    Parameters
    ----------
    status : int
        HTTP status.
    reason : str
        For the user of the window.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason
