"""What the exit status of the command means.

`WELL`
    All is well.
`WANTING`
    The work was done and failed: a failed check, a difference, a pose out of reach.
`MISUSE`
    Misuse, bad input, a file that cannot be read or written, or a mistake of the program: nothing
    was judged.
`ENGINE`
    The engine failed.
`INTERRUPTED`
    Ctrl-C. As in a shell any signal that stops the command gives `SIGNALLED` and its number: 143
    for SIGTERM, 129 for SIGHUP.
"""

WELL, WANTING, MISUSE, ENGINE = 0, 1, 2, 3
SIGNALLED = 128
INTERRUPTED = SIGNALLED + 2
