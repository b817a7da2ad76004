"""The daemon ends forty times while a strap streams, another one each time: bluetoothd survives it."""

from bench import transfer
from bench.home import Home
from scenarios.orderly_ends import ends

MODES = ("bluetoothd",)
LIMIT = 1800


async def run(home: Home) -> str:
    times = 2 * transfer.TIMES
    await ends(home, times)
    return f"{times} ends"
