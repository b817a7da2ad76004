"""python -m bench [--only NAME] [--mode MODE]: runs the scenarios, three guests at a time.

They wait more than they work, so that two processors serve three. Still a host that is busy with
them, or with something else, makes late what is not wrong: what failed is run once more, alone, and
what passes then is reported as `late`.
"""

import argparse
import asyncio
import sys
import time

from .scenario import MODES, scenarios
from .settings import VM_HOME, VM_WORK


async def work(mode: str, kind: str, only: str | None, results: list[list[str]]) -> None:
    """Runs one worker, a process of its own: each has an emulated controller to feed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.worker", mode, kind, *([only] if only else []),
        cwd=VM_HOME, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    while line := await process.stdout.readline():
        fields = line.decode().rstrip("\n").split("\t")
        results.append(fields)
        name, mode, verdict, seconds, reason = fields
        print(
            f"{verdict:4}  {mode:10}  {float(seconds):6.1f} s  {name}  {reason}".rstrip(),
            flush=True,
        )
    if await process.wait() != 0:
        results.append(["(worker)", mode, "FAIL", "0", f"exit status {process.returncode}"])


async def once_more(result: list[str]) -> None:
    """Runs a scenario that failed again, with nothing beside it."""
    name, mode = result[:2]
    scenario = next((scenario for scenario in scenarios(name)), None)
    if scenario is None:
        return
    print(f"once more, alone: {name} in mode {mode}", flush=True)
    second: list[list[str]] = []
    await work(mode, "systemd" if scenario.systemd else "plain", name, second)
    if second and all(fields[2] == "pass" for fields in second):
        result[2] = "late"


def table(results: list[list[str]]) -> str:
    """Scenario by mode: verdict and time."""
    cells = {(name, mode): f"{verdict} {seconds:>6}" for name, mode, verdict, seconds, _ in results}
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
    options = parser.parse_args()
    if not scenarios(options.only):
        print(f"There is no scenario {options.only}.", file=sys.stderr)
        return 2
    start = time.monotonic()
    results: list[list[str]] = []
    modes = [options.mode] if options.mode else MODES

    async def under_systemd() -> None:
        for mode in modes:
            await work(mode, "systemd", options.only, results)

    plain = [work(mode, "plain", options.only, results) for mode in modes]
    await asyncio.gather(*plain, under_systemd())
    for result in [result for result in results if result[2] != "pass"]:
        await once_more(result)
    failed = [result for result in results if result[2] == "FAIL"]
    late = sum(result[2] == "late" for result in results)
    print()
    print(table(results))
    print(
        f"\n{len(results) - len(failed)} passed ({late} of them at the second try),"
        f" {len(failed)} failed, {time.monotonic() - start:.0f} s"
    )
    if failed:
        print(f"What the failed ones left is in {VM_WORK}/failed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
