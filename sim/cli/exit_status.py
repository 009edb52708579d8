"""What the exit status of the command means.

`WELL`
    All is well.
`WANTING`
    The work was done, judged and found wanting: a failed check, a difference, a pose out of reach.
`MISUSE`
    Misuse, bad input, a file that cannot be read or written, or a run that was interrupted.
`ENGINE`
    The engine failed.
"""

WELL, WANTING, MISUSE, ENGINE = 0, 1, 2, 3
