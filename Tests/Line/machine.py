"""Runs line.py with netem in a guest with a kernel of its own."""

import asyncio
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "VirtualMachine"))

from bench.machine import GuestError, Machine
from bench.settings import VM_WORK

LIMIT = 3000  # seconds; without KVM the program starts in a quarter of a minute


async def main() -> int:
    machine = Machine(VM_WORK / "run" / "line", controllers=0)
    await machine.boot()
    try:
        [module] = VM_WORK.glob("kernel-*/lib/modules/*/kernel/net/sched/sch_netem.ko*")
        await machine.run(f"insmod {module}")
        said = await machine.run(f"python3 -B {HERE}/line.py {VM_WORK}/stage/usr/bin/measured netem", timeout=LIMIT)
    except GuestError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        await machine.halt()
    print(said, end="")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
