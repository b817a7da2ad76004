"""python -m timing.footprint [MINUTES]: memory and processor time, idle and with a strap.

Each of ten minutes: idle with bluetoothd or the kernel's radio, then with a heart-rate strap at one
notification a second. Private and total memory (KiB, /proc/PID/smaps_rollup) at the end of the
span; seconds of processor time in it, and how often a thread of the daemon woke a second (voluntary
switches). Total counts the libraries that others share as well.
"""

import asyncio
import shutil
import sys

from bench.home import Home, eventually
from bench.scenario import MODES
from bench.settings import VM_WORK
from peripherals.strap import HeartRateStrap


async def processor(home: Home) -> float:
    """Seconds of processor time that the daemon has taken, user and system."""
    fields = (await home.machine.run("cat /proc/$(</run/measured.pid)/stat")).rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


async def wakings(home: Home) -> tuple[dict[str, int], float]:
    """How often each thread of the daemon has waited and gone on, and the guest's seconds."""
    output = await home.machine.run(
        "grep ^voluntary /proc/$(</run/measured.pid)/task/*/status; cut -d' ' -f1 /proc/uptime")
    *threads, uptime = output.strip().splitlines()
    return {line.split(":")[0]: int(line.split()[-1]) for line in threads}, float(uptime)


async def span(home: Home, mode: str, what: str, seconds: float) -> None:
    """Measures one span."""
    before, (earlier, begin) = await processor(home), await wakings(home)
    await asyncio.sleep(seconds)
    used, (later, end) = await processor(home) - before, await wakings(home)
    # A thread that has ended took its count with it.
    woken = sum(count - earlier.get(thread, 0) for thread, count in later.items())
    memory = await home.measured.memory()
    private = memory["Private_Clean"] + memory["Private_Dirty"]
    print(f"{mode:12}{what:10}{private:>14}{memory['Rss']:>14}{used:>16.2f}"
          f"{woken / (end - begin):>14.1f}", flush=True)


async def main(minutes: float) -> None:
    print(f"{'':22}{'private, KiB':>14}{'total, KiB':>14}{'processor, s':>16}{'wake-ups, /s':>14}")

    async def measure(mode: str) -> None:
        folder = VM_WORK / "run" / f"footprint-{mode}"
        shutil.rmtree(folder, ignore_errors=True)
        home = Home(folder, mode)
        await home.open()
        try:
            await home.fresh()
            strap = await home.place(HeartRateStrap())
            await home.begin()
            await asyncio.sleep(10)
            await span(home, mode, "idle", 60 * minutes)
            await strap.wake()
            await eventually(lambda: strap.beats, "the strap streams", 120)
            await span(home, mode, "strap", 60 * minutes)
        finally:
            await home.end()

    await asyncio.gather(*(measure(mode) for mode in MODES))


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10))
