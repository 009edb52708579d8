"""Check: the outcome of one judgement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.spatial import Array


@dataclass(frozen=True)
class Check:
    """One quantity judged.

    Parameters
    ----------
    name, channel : str
        What was judged, and on which channel.
    worst, limit : float
        In `unit`; for a range, the extreme position and the end of the range it is nearest to.
    unit : str
    at : float
        Time of the worst [s].
    ok : bool
    """

    name: str
    channel: str
    worst: float
    limit: float
    unit: str
    at: float
    ok: bool

    @classmethod
    def of_errors(
        cls, name: str, channel: str, unit: str, t: Array, error: Array, limit: float
    ) -> Check:
        """The largest of non-negative errors against a limit; NaN is larger than any, never ok.

        Parameters
        ----------
        t, error : ndarray, shape (N,)
            Times [s], and errors in `unit`.
        """
        k = int(np.argmax(error))
        worst = float(error[k])
        return cls(name, channel, worst, limit, unit, float(t[k]), worst <= limit)
