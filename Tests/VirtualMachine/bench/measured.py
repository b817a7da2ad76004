"""The daemon and its command line, in the guest."""

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path

from . import pace
from .machine import Machine
from .settings import VM_HOME, VM_WORK

PROGRAM = f"{VM_WORK}/stage/usr/bin/measured"
STATE = "/var/lib/measured-bench"
# What the unit sets: the allocator's settings decide what the daemon keeps at rest.
UNIT = (VM_HOME.parents[1] / "systemd" / "measured.service").read_text()
ENVIRONMENT = " ".join(re.findall(r"^Environment=(.*)$", UNIT, re.MULTILINE))


@dataclass
class Footprint:
    """Memory of its own in KiB, without what is read from files; threads; open descriptors."""

    memory: int
    threads: int
    files: int

    def __str__(self) -> str:
        return f"{self.memory} KiB, {self.threads} threads, {self.files} descriptors"


class Measured:
    """`measured run` with a store of its own."""

    store = f"{STATE}/measured.sqlite"
    program = PROGRAM

    def __init__(self, machine: Machine, mode: str):
        self.machine = machine
        self.mode = mode
        self.starts = 0
        self.running = False

    @property
    def log_file(self) -> Path:
        """What every start since the store was made has written."""
        return self.machine.folder / "measured.log"

    async def fetch_log(self) -> None:
        """Brings the log to the host, where it is not there by itself."""

    def log(self) -> str:
        """What the daemon has said so far."""
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    async def make_store(self, plan: str, definitions: tuple[str, ...] = ()) -> None:
        """Begins with an empty store, no bond, the plan, and these definitions of `devices/`."""
        copies = " ".join(f"{VM_HOME}/devices/{name}.yaml" for name in definitions)
        self.log_file.unlink(missing_ok=True)
        await self.machine.run(f"""
            rm -rf {STATE} /etc/measured/devices.d
            mkdir -p {STATE} /etc/measured/devices.d
            for file in {copies}; do cp "$file" /etc/measured/devices.d/; done
            {self.program} plan import {VM_HOME}/plans/{plan}.yaml --store {self.store}
            """)

    async def start(self, radio: str | None = None) -> None:
        """Starts the daemon. It may still be waiting for its radio afterwards."""
        self.starts += 1
        self.running = True
        await self.machine.run(f"""
            {ENVIRONMENT} STATE_DIRECTORY={STATE} {self.program} run --store {self.store} --radio {radio or self.mode} \
              >>/out/measured.log 2>&1 &
            echo $! >/run/measured.pid
            """)

    async def command(self, arguments: str, timeout: float = 60, check: bool = True) -> str:
        """Runs another command of the program, with the daemon's state; gives what it printed."""
        environment = f"STATE_DIRECTORY={STATE}"
        return await self.machine.run(
            f"{environment} {self.program} {arguments}", timeout=timeout, check=check
        )

    async def signal(self, name: str) -> None:
        """Sends the daemon a signal."""
        await self.machine.run(f"kill -{name} $(</run/measured.pid)")

    async def kill(self) -> None:
        """Ends it at once, as loss of power does, and waits until it is gone."""
        self.running = False
        await self.machine.run(
            "kill -KILL $(</run/measured.pid); while [ -e /proc/$(</run/measured.pid) ]; do sleep 0.02; done"
        )

    async def stop(self) -> None:
        """Asks it to end (SIGTERM); it has ten seconds."""
        if not self.running:
            return
        self.running = False
        await self.machine.run("""
            kill -TERM $(</run/measured.pid)
            for wait in {1..200}; do [ -e /proc/$(</run/measured.pid) ] || exit 0; sleep 0.05; done
            kill -KILL $(</run/measured.pid)
            echo "measured did not end on SIGTERM"
            exit 1
            """)

    async def alive(self) -> bool:
        """Whether the process is there."""
        state = await self.machine.run(
            "{ read -r _ _ state _ </proc/$(</run/measured.pid)/stat; } 2>/dev/null; echo $state",
            check=False,
        )
        return state.strip() not in ("", "Z")

    async def memory(self) -> dict[str, int]:
        """The process's memory in KiB: Rss, Pss, Private_Clean, Private_Dirty, and others."""
        lines = await self.machine.run("cat /proc/$(</run/measured.pid)/smaps_rollup")
        fields = [line.split() for line in lines.splitlines()[1:]]
        return {words[0].rstrip(":"): int(words[1]) for words in fields}

    async def footprint(self) -> Footprint:
        """What the process takes at present."""
        threads, files = (
            await self.machine.run(
                "grep ^Threads: /proc/$(</run/measured.pid)/status; ls /proc/$(</run/measured.pid)/fd | wc -l"
            )
        ).splitlines()
        memory = (await self.memory())["Anonymous"]
        return Footprint(memory, int(threads.split()[1]), int(files))

    async def _lines(self, arguments: str) -> list[dict]:
        text = await self.machine.run(f"{self.program} {arguments} --store {self.store} --json")
        return [json.loads(line) for line in text.splitlines()]

    async def samples(
        self, quantity: str | None = None, unassigned: bool = False, last: int | None = None
    ) -> list[dict]:
        """The stored samples, oldest first; with `last` only so many."""
        options = " --unassigned" if unassigned else ""
        options += f" --quantity {quantity}" if quantity else ""
        options += f" --last {last}" if last else ""
        found = await self._lines("samples" + options)
        return [sample for sample in found if quantity in (None, sample["quantity"])]

    async def event(self, task: str) -> dict:
        """Today's event of a task."""
        span = "--from $(date -u +%F)T00:00:00Z --to $(date -u -d tomorrow +%F)T00:00:00Z"
        [event] = await self._lines(f"events {span} --task {task}")
        return event

    async def until_logged(self, *words: str, seconds: float = 60) -> str:
        """Waits for a line of the log that has all of these words; gives it."""
        for _ in range(int(pace.limit(seconds) * 5)):
            await self.fetch_log()
            for line in self.log().splitlines():
                if all(word.lower() in line.lower() for word in words):
                    return line
            await asyncio.sleep(0.2)
        raise AssertionError(f"Nothing with {words} in the log within {seconds} s.")
