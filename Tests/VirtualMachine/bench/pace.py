"""How slow the guest is at present, and limits that allow for it.

A limit is meant for an idle host. Where other work has the processors, a guest takes longer for
everything: a limit of seconds then says nothing about the daemon.
"""

import os
import time
from collections.abc import Awaitable, Callable

# A fixed piece of work, and how long an idle host of two processors takes for it.
WORK = "for ((i = 0; i < 20000; i++)); do :; done"
USUAL = 0.35
# A guest that is slower than this tests nothing any more.
GREATEST = 5.0

_slowness = 1.0


async def measure(run: Callable[[str], Awaitable[str]]) -> None:
    """Measures, by running a script in the guest, how much longer it takes than on an idle host."""
    global _slowness
    start = time.monotonic()
    await run(WORK)
    _slowness = min(max((time.monotonic() - start) / USUAL, 1.0), GREATEST)


def slowness() -> float:
    """1 on an idle host, more where the guest is slower."""
    return _slowness


def limit(seconds: float) -> float:
    """A limit that is meant for an idle host, for the present one."""
    return seconds * _slowness


def load() -> float:
    """How many processes of the host wanted a processor in the last minute."""
    return os.getloadavg()[0]
