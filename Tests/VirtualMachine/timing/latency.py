"""python -m timing.latency [TIMES]: how long a weighing takes, in each mode and with bleak.

Prints the median and the range of: the first advertisement to the link, the link to the first value,
the first value to the completed task in the store; and the ATT requests before the first value. All
is taken from the guest's HCI trace and its store, by one clock. The guest's processor is emulated:
the rows compare with each other, not with a real machine.
"""

import asyncio
import shutil
import statistics
import sys

from bench.home import Home, eventually, within
from bench.measured import STATE
from bench.settings import VM_HOME, VM_WORK
from bench.trace import Moments, moments
from peripherals.scale import WeightScale

# A link is not tried again within some seconds after it ended; people do not weigh themselves so soon.
PAUSE = 10

BLEAK = f"{VM_WORK}/venv/bin/python {VM_HOME}/timing/bleak_client.py"


async def weigh(home: Home, scale: WeightScale, kilograms: float) -> tuple[Moments, float | None]:
    """One weighing; the moments of its link, and when the store was written to after its value."""
    await asyncio.sleep(PAUSE)
    await home.machine.run(": >/run/hci.txt; : >/run/store.txt")
    await scale.step_on(kilograms)
    await within(scale.empty, "the record is confirmed", 90)
    await within(scale.disconnected, "the link is down")
    found = moments(await home.machine.run("cat /run/hci.txt"), scale.address)
    written = [float(line) for line in (await home.machine.run("cat /run/store.txt")).split()]
    return found, next((time for time in written if time >= found.value), None)


async def with_measured(home: Home, times: int, rows: list[list[float]]) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    await home.machine.run(
        f"{VM_WORK}/bin/storewatch {STATE} >>/run/store.txt 2>&1 & echo $! >/run/job.store"
    )
    await asyncio.sleep(3)
    for number in range(times):
        found, stored = await weigh(home, scale, 82 + number / 20)
        rows.append(_row(found) + [1000 * (stored - found.value) if stored else float("nan")])
    await home.completed("weigh-in")


async def with_bleak(home: Home, times: int, rows: list[list[float]]) -> None:
    for number in range(times):
        scale = await home.place(WeightScale())
        # Importing bleak takes its time here; the sensor wakes when it is listened for.
        log = home.folder / "bleak.log"
        log.unlink(missing_ok=True)
        client = asyncio.ensure_future(
            home.machine.run(f"cd /; {BLEAK} 181D 2A9D 1 >/out/bleak.log", timeout=120)
        )
        await eventually(lambda: log.exists() and "ready" in log.read_text(), "bleak listens", 90)
        await asyncio.sleep(1)
        found, _ = await weigh(home, scale, 82 + number / 20)
        await client
        rows.append(_row(found) + [float("nan")])


def _row(found: Moments) -> list[float]:
    return [
        1000 * (found.connected - found.heard),
        1000 * (found.value - found.connected),
        found.requests,
    ]


def line(name: str, rows: list[list[float]]) -> str:
    """Median (least-most) of each column."""
    cells = [name.ljust(12)]
    for index in (0, 1, 3, 2):
        column = [row[index] for row in rows if row[index] == row[index]]
        if not column:
            cells.append("-".rjust(22))
            continue
        cell = f"{statistics.median(column):.1f} ({min(column):.1f}-{max(column):.1f})"
        cells.append(cell.rjust(22))
    return "".join(cells)


async def main(times: int) -> None:
    print(
        f"{'':12}{'advert to link, ms':>22}{'link to value, ms':>22}"
        f"{'value to stored, ms':>22}{'ATT requests':>22}"
    )
    for name, mode, measure in (
        ("kernel", "kernel", with_measured),
        ("bluetoothd", "bluetoothd", with_measured),
        ("bleak", "bluetoothd", with_bleak),
    ):
        folder = VM_WORK / "run" / "latency"
        shutil.rmtree(folder, ignore_errors=True)
        home = Home(folder, mode)
        await home.open()
        rows: list[list[float]] = []
        try:
            await home.fresh()
            await measure(home, times, rows)
        finally:
            await home.end()
        print(line(name, rows), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
