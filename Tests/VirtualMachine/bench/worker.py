"""python -m bench.worker MODE plain|systemd PLACE: runs the scenarios that standard input names.

They share a guest until one of them fails. Each gives a line of standard output.
"""

import asyncio
import shutil
import sys
import time
import traceback

from . import pace
from .home import Home
from .result import Result
from .scenario import scenarios
from .settings import VM_WORK


async def work(mode: str, kind: str, place: str) -> None:
    """Runs scenarios in one mode and one kind of guest; prints a result for each."""
    systemd = kind == "systemd"
    home: Home | None = None
    while name := (await asyncio.to_thread(sys.stdin.readline)).strip():
        [scenario] = scenarios(name)
        start = time.monotonic()
        result = Result(scenario.name, mode, "pass", 0, 0, 0)
        try:
            if home is None:
                folder = VM_WORK / "run" / place
                shutil.rmtree(folder, ignore_errors=True)
                home = Home(folder, mode, systemd)
                await home.open()
            await home.fresh()
            async with asyncio.timeout(pace.limit(scenario.limit)):
                result.text = await scenario.module.run(home) or ""
                await home.settled()
        except Exception as error:
            result.verdict, result.text = "FAIL", _message(error)
            if home:
                logs = result.logs
                shutil.rmtree(logs, ignore_errors=True)
                await home.keep_logs(logs)
                (logs / "reason.log").write_text(traceback.format_exc())
                # The next one shall not suffer for it.
                await home.end()
                home = None
        result.seconds = round(time.monotonic() - start, 1)
        result.load, result.slowness = round(pace.load(), 1), round(pace.slowness(), 1)
        print(result.line(), flush=True)
    if home:
        await home.end()


def _message(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "took too long"
    text = str(error) or traceback.format_exception(error)[-2]
    return " ".join(text.split())[:300]


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2], sys.argv[3]))
