"""python -m bench [--only NAME] [--mode MODE] [--all] [--strict]: runs the scenarios, three guests at a time.

They wait more than they work, so that two processors serve three. Still a host that is busy with
them, or with something else, makes late what is not wrong: what failed is run once more, alone, and
what passes then is reported as `late`, with what it said and where its logs are. A second try also
hides a race: with --strict what is late has failed.
"""

import argparse
import asyncio
import shutil
import sys
import time

from .result import Result, parsed
from .scenario import MODES, Scenario, scenarios
from .settings import VM_HOME, VM_WORK


async def work(mode: str, kind: str, chosen: list[Scenario], results: list[Result]) -> None:
    """Runs one worker, a process of its own: each has an emulated controller to feed."""
    names = [scenario.name for scenario in chosen if scenario.fits(mode, kind == "systemd")]
    if not names:
        return
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.worker", mode, kind, *names,
        cwd=VM_HOME, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    while line := await process.stdout.readline():
        result = parsed(line.decode())
        results.append(result)
        print(result, flush=True)
    if await process.wait() != 0:
        reason = f"exit status {process.returncode}"
        results.append(Result("(worker)", mode, "FAIL", 0, 0, 0, reason))


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
    await work(result.mode, "systemd" if scenario.systemd else "plain", [scenario], second)
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
    parser.add_argument("--only", help="the name of one scenario")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--all", action="store_true", help="the thorough ones as well")
    parser.add_argument("--strict", action="store_true", help="what is late has failed")
    options = parser.parse_args()
    chosen = scenarios(options.only, thorough=options.all)
    if not chosen:
        print(f"There is no scenario {options.only}.", file=sys.stderr)
        return 2
    start = time.monotonic()
    results: list[Result] = []
    modes = [options.mode] if options.mode else MODES

    async def under_systemd() -> None:
        for mode in modes:
            await work(mode, "systemd", chosen, results)

    plain = [work(mode, "plain", chosen, results) for mode in modes]
    await asyncio.gather(*plain, under_systemd())
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
