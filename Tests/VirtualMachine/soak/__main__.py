"""python -m soak [--minutes 60] [--mode MODE] [--seed 1] [--rate 100]: a long time with many faults.

Sensors are used as at home while their links, the controller and the daemon fail at random, by a seed.
Every weighing must be kept once; beats may be lost with their link only; and at rest the daemon must
take as much memory and as many threads and descriptors as at the start.
"""

import argparse
import asyncio
import random
import re
import shutil
import sys
import time
import traceback
from collections import Counter

from bench import pace
from bench.beats import compared
from bench.home import Home
from bench.machine import GuestError
from bench.measured import Footprint
from bench.scenario import MODES
from bench.settings import VM_HOME, VM_WORK

from .faults import go_wrong
from .household import Household

# How long the daemon rests before it is measured.
REST = 40
# What it may keep more at rest: parts of the allocator's memory, and a thread that waits for work.
MORE_MEMORY, MORE_THREADS, MORE_FILES = 6 * 1024, 2, 0


class Soak:
    """One mode's soak, its counts, and what was wrong."""

    def __init__(self, mode: str, minutes: float, seed: int, rate: float):
        self.mode = mode
        self.minutes = minutes
        self.seed = seed
        folder = VM_WORK / "soak" / mode
        shutil.rmtree(folder, ignore_errors=True)
        self.home = Home(folder, mode)
        self.household = Household(self.home, rate)
        self.faults: Counter[str] = Counter()
        self.wrong: list[str] = []

    def say(self, text: str) -> None:
        print(f"{self.mode:10}  {text}", flush=True)

    def expect(self, holds: bool, text: str) -> None:
        if not holds:
            self.wrong.append(text)

    def count(self, fault: str) -> None:
        self.faults[fault] += 1
        with (self.home.folder / "faults.log").open("a") as log:
            log.write(f"{time.time():.3f} {fault}\n")

    async def run(self) -> bool:
        """Whether nothing was wrong."""
        await self.home.open()
        try:
            await self._run()
        except Exception as error:
            self.wrong.append(f"{type(error).__name__}: {error}")
            traceback.print_exc()
        finally:
            await self.home.keep_logs(self.home.folder / "logs")
            await self.home.end()
        for text in self.wrong:
            self.say(f"WRONG: {text}")
        self.say("FAIL" if self.wrong else "pass")
        return not self.wrong

    async def _run(self) -> None:
        home, household, chance = self.home, self.household, random.Random(self.seed)
        await home.fresh()
        await household.place()
        await home.begin()
        await household.serve_once()
        await household.rest(REST)
        before = await home.measured.footprint()
        await household.wake()
        weighing = asyncio.create_task(household.weigh_at_times(random.Random(self.seed + 1)))
        watching = asyncio.create_task(self._watch())
        try:
            await go_wrong(household, chance, 60 * self.minutes, self.count)
        finally:
            weighing.cancel()
            watching.cancel()
        await pace.measure(home.machine.run)
        await household.empty(300)
        await household.rest(REST)
        after = await home.measured.footprint()
        await self._judge(before, after)
        await home.settled()

    async def _watch(self) -> None:
        """Says every five minutes how it goes."""
        while True:
            await asyncio.sleep(300)
            household = self.household
            try:
                footprint = await self.home.measured.footprint()
            except GuestError:
                continue  # the daemon is away at present
            self.say(
                f"{sum(self.faults.values())} faults, {len(household.weighings)} weighings,"
                f" {len(household.strap.sent)} beats, {household.accelerometer.sent} packets,"
                f" {footprint}, load {pace.load():.1f}"
            )

    async def _judge(self, before: Footprint, after: Footprint) -> None:
        home, household = self.home, self.household
        self.say(f"{self.minutes:g} minutes, seed {self.seed}, load {pace.load():.1f}, slowness {pace.slowness():.1f}")
        self.say("faults: " + ", ".join(f"{name} {n}" for name, n in sorted(self.faults.items())))

        weights = await home.measured.samples("bodyMass")
        kept = Counter(round(sample["value"], 3) for sample in weights)
        sent = [weighing.kilograms for weighing in household.weighings]
        lost = [kilograms for kilograms in sent if not kept[kilograms]]
        twice = [kilograms for kilograms, times in kept.items() if times > 1]
        self.say(f"weighings: {len(sent)} sent, {len(sent) - len(lost)} kept, {len(twice)} twice")
        self.expect(not lost, f"weighings lost: {lost}")
        self.expect(not twice, f"weighings kept twice: {twice}")
        self.expect(set(kept) <= set(sent), f"weights that nobody had: {set(kept) - set(sent)}")

        pulses = [round(sample["value"]) for sample in await home.measured.samples("heartRate")]
        beats = compared(household.strap.sent, pulses, pace.slowness())
        self.say(
            f"beats: {beats.sent} sent over {household.strap.connections} links, {beats.kept} kept,"
            f" {beats.lost_with_link} lost with a link's end, {beats.lost_within_link} within a link"
        )
        self.expect(beats.good, f"beats: {beats}")

        steps = sum(sample["value"] for sample in await home.measured.samples("stepCount"))
        sensor = household.accelerometer
        told = sum(map(int, re.findall(r"(\d+) values of .* were dropped", home.measured.log())))
        self.say(
            f"motion: {sensor.sent} packets over {sensor.connections} links, {told} told as dropped,"
            f" {steps:.0f} of {2 * sensor.sent / sensor.rate:.0f} steps counted"
        )

        self.say(f"at rest before: {before}")
        self.say(f"at rest after:  {after}")
        self.expect(after.memory <= before.memory + MORE_MEMORY, "it keeps memory")
        self.expect(after.threads <= before.threads + MORE_THREADS, "it keeps threads")
        self.expect(after.files <= before.files + MORE_FILES, "it keeps descriptors open")


async def both(arguments: list[str]) -> bool:
    """A process for each mode: each has an emulated controller to feed."""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "soak", "--mode", mode, *arguments, cwd=VM_HOME
        )
        for mode in MODES
    ]
    return not any([await process.wait() for process in processes])


async def main() -> int:
    """Exit status 1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=100, help="of the accelerometer, in Hz")
    options = parser.parse_args()
    if options.mode:
        soak = Soak(options.mode, options.minutes, options.seed, options.rate)
        return 0 if await soak.run() else 1
    return 0 if await both(sys.argv[1:]) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
