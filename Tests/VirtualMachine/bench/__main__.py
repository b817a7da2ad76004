"""python -m bench [--only NAMES] [--mode MODE] [--all] [--strict] [--guests N]: runs the scenarios.

They wait more than they work, so that two processors serve three guests. Still a host that is busy with
them, or with something else, makes late what is not wrong: what failed is run once more, alone, and
what passes then is reported as `late`, with what it said and where its logs are. A second try also
hides a race: with --strict what is late has failed.
"""

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from .result import Result, parsed
from .scenario import MODES, Scenario, scenarios
from .settings import VM_HOME, VM_WORK


@dataclass
class Group:
    """What one kind of guest can run, and what of it is left."""

    mode: str
    kind: str  # plain or systemd
    left: list[Scenario]


def groups(chosen: list[Scenario], modes: Sequence[str]) -> list[Group]:
    """The scenarios by mode and kind of guest, the longest first: none is left to run alone at last."""
    chosen = sorted(chosen, key=lambda one: -one.limit)
    return [
        Group(mode, kind, [one for one in chosen if one.fits(mode, kind == "systemd")])
        for mode in modes
        for kind in ("plain", "systemd")
    ]


async def work(group: Group, place: int, results: list[Result]) -> None:
    """Runs what is left of a group, in a process of its own: each has an emulated controller to feed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.worker", group.mode, group.kind, str(place),
        cwd=VM_HOME, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin and process.stdout
    while group.left:
        scenario = group.left.pop(0)
        process.stdin.write(f"{scenario.name}\n".encode())
        line = await process.stdout.readline()
        result = parsed(line.decode()) if line else _no_result(scenario, group)
        results.append(result)
        print(result, flush=True)
        if not line:
            break
    process.stdin.close()
    await process.wait()


def _no_result(scenario: Scenario, group: Group) -> Result:
    return Result(scenario.name, group.mode, "FAIL", 0, 0, 0, "the worker ended")


async def run_all(groups: list[Group], guests: int, results: list[Result]) -> None:
    """Runs all groups with so many guests: one that is free joins the group with the most left."""

    async def fill(place: int) -> None:
        while group := max((one for one in groups if one.left), key=_seconds, default=None):
            await work(group, place, results)

    await asyncio.gather(*(fill(place) for place in range(guests)))


def _seconds(group: Group) -> float:
    return sum(scenario.limit for scenario in group.left)


async def once_more(result: Result, chosen: list[Scenario]) -> None:
    """Runs a scenario that failed again, with nothing beside it; its first logs stay."""
    scenario = next((scenario for scenario in chosen if scenario.name == result.name), None)
    if scenario is None:
        return
    print(f"once more, alone: {result.name} in mode {result.mode}", flush=True)
    first = result.logs.with_name(f"{result.logs.name}-first")
    if result.logs.exists():
        shutil.rmtree(first, ignore_errors=True)
        result.logs.rename(first)
    second: list[Result] = []
    await run_all(groups([scenario], [result.mode]), 1, second)
    if second and all(again.verdict == "pass" for again in second):
        result.verdict = "late"
        result.text += f" (logs: {first})"


def table(results: list[Result]) -> str:
    """Scenario by mode: verdict and time."""
    cells = {
        (result.name, result.mode): f"{result.verdict} {result.seconds:6.1f}" for result in results
    }
    names = sorted({name for name, _ in cells})
    width = max(map(len, names), default=0)
    rows = [" " * width + "".join(f"  {mode:>12}" for mode in MODES)]
    for name in names:
        rows.append(
            f"{name:{width}}" + "".join(f"  {cells.get((name, mode), '-'):>12}" for mode in MODES)
        )
    return "\n".join(rows)


async def main() -> int:
    """Exit status 1 where a scenario failed, 2 where there is none of that name."""
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--only", help="the names of scenarios, with commas")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--all", action="store_true", help="the thorough ones as well")
    parser.add_argument("--guests", type=int, default=3, help="how many run at a time")
    parser.add_argument("--strict", action="store_true", help="what is late has failed")
    options = parser.parse_args()
    chosen = scenarios(options.only, thorough=options.all)
    if not chosen:
        print(f"There is no scenario {options.only}.", file=sys.stderr)
        return 2
    start = time.monotonic()
    results: list[Result] = []
    modes = [options.mode] if options.mode else MODES
    await run_all(groups(chosen, modes), options.guests, results)
    for result in [result for result in results if result.verdict != "pass"]:
        await once_more(result, chosen)
    late = [result for result in results if result.verdict == "late"]
    failed = [result for result in results if result.verdict == "FAIL"]
    print()
    print(table(results))
    for result in late:
        print(f"late: {result.name} in mode {result.mode}: {result.text}")
    print(
        f"\n{len(results) - len(failed)} passed ({len(late)} of them at the second try),"
        f" {len(failed)} failed, {time.monotonic() - start:.0f} s"
    )
    if failed:
        print(f"What the failed ones left is in {VM_WORK}/failed.")
    return 1 if failed or (options.strict and late) else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
