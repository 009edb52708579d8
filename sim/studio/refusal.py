"""Refusal: an answer to a request that is not granted, and why."""

from __future__ import annotations


class RefusalError(Exception):
    """A request is not granted.

    Parameters
    ----------
    status : int
        Of HTTP.
    reason : str
        For the person at the window.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason
