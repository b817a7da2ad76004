"""python -m bench.worker MODE plain|systemd [ONLY]: scenarios, one after the other.

They share a guest until one of them fails.
"""

import asyncio
import shutil
import sys
import time
import traceback

from .home import Home
from .scenario import Scenario, scenarios
from .settings import VM_WORK


async def work(mode: str, kind: str, only: str | None) -> None:
    """Runs what one mode has for one kind of guest; prints tab-separated fields for each scenario."""
    systemd = kind == "systemd"
    chosen = [
        scenario
        for scenario in scenarios(only)
        if mode in scenario.modes and scenario.systemd == systemd
    ]
    await _run_all(chosen, mode, systemd)


async def _run_all(chosen: list[Scenario], mode: str, systemd: bool) -> None:
    home: Home | None = None
    for scenario in chosen:
        start = time.monotonic()
        reason = ""
        try:
            if home is None:
                folder = VM_WORK / "run" / (mode + ("-systemd" if systemd else ""))
                shutil.rmtree(folder, ignore_errors=True)
                home = Home(folder, mode, systemd)
                await home.open()
            async with asyncio.timeout(scenario.limit):
                await home.fresh()
                await scenario.module.run(home)
                await home.settled()
        except Exception as error:
            reason = _message(error)
            if home:
                logs = VM_WORK / "failed" / f"{scenario.name}-{mode}"
                shutil.rmtree(logs, ignore_errors=True)
                await home.keep_logs(logs)
                (logs / "reason.log").write_text(traceback.format_exc())
                # The next one shall not suffer for it.
                await home.end()
                home = None
        seconds = time.monotonic() - start
        verdict = "FAIL" if reason else "pass"
        print(scenario.name, mode, verdict, f"{seconds:.1f}", reason, sep="\t", flush=True)
    if home:
        await home.end()


def _message(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "took too long"
    text = str(error) or traceback.format_exception(error)[-2]
    return " ".join(text.split())[:300]


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
