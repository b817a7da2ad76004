"""Under measured.service, in a guest with systemd: an alarm reaches a receiver outside 127/8, and a weight a broker
there, once the unit lets them out, and before that the reason is said. The box's death is told once, 26 hours after
its last sign of life.

The guest, its radio and the scale are those of Tests/VirtualMachine; only the receiver's clock is moved.
"""

import asyncio
import json
import os
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "VirtualMachine"))

from bench import pace
from bench.home import Home, same, within
from bench.settings import VM_HOME, VM_WORK
from peripherals.scale import WeightScale

LIMIT = 3000  # seconds on an idle host; without KVM the program starts in minutes
SETTINGS = "/etc/measured/measured.yaml"
UNIT = "/etc/systemd/system/measured.service.d"
ADDRESS, PORT, BROKER = "10.9.8.7", 8090, 1883
OUTLETS = f"outlets: {{home: {{kind: mqtt, address: 'mqtt://{ADDRESS}:{BROKER}', people: all}}}}"
TOPIC = "silence-77aa"
HOUR = 3600


async def scenario(home: Home) -> None:
    await prepare(home)
    scale = await home.place(WeightScale())
    await start(home, "start")

    # Without the drop-in nothing leaves, and the reason is said by the test, by the outlet and by doctor.
    for test in ("message test nora", "outlet test home"):
        said = await command(home, test)
        assert "outlets-network.conf" in said and "let nothing out" in said, said
    await scale.step_on(101.35)
    await within(scale.empty, "the record is confirmed")
    await home.completed("weigh-in")
    await asyncio.sleep(20)
    for line in (await command(home, "outlet list --json")).splitlines():
        same(json.loads(line)["state"], "failing")
    doctor = await command(home, "doctor")
    assert "outlets-network.conf" in doctor, doctor
    state = await messages(home)
    same((state["rung"], state["retained"]), ([], []))
    print("without the drop-in: nothing left, and the reason is said", flush=True)

    # The line that it names.
    await home.machine.run(f"install -Dm644 /usr/share/measured/outlets-network.conf {UNIT}/outlets-network.conf")
    await start(home, "restart")
    await until(home, lambda state: state["rung"])
    await asyncio.sleep(20)
    same(len((await messages(home))["rung"]), 1)
    await until(home, lambda state: any("bodyMass" in topic for topic in state["retained"]))
    print("with it: one message, and the weight at the broker", flush=True)

    # The message of the box's death is held back, put off by a restart, and delivered 26 hours after the last one.
    await home.machine.run(
        f"printf 'silence: {{ntfy: {{server: \"http://{ADDRESS}:{PORT}\", topic: {TOPIC}}}}}\\n' >>{SETTINGS}"
    )
    await start(home, "restart")
    await until(home, held)
    await advance(home, 6 * HOUR)
    await start(home, "restart")
    await asyncio.sleep(15)
    await advance(home, 21 * HOUR)
    same(deaths(await messages(home)), [])
    same(len(held(await messages(home))), 1)
    await home.measured.kill()
    await advance(home, 26 * HOUR)
    await advance(home, 26 * HOUR)
    same(len(deaths(await messages(home))), 1)
    print("killed for 52 hours: one message of its death", flush=True)


async def prepare(home: Home) -> None:
    """The receiver, the package's files and a plan whose weighing above 100 kg is told to a contact."""
    await home.machine.run(
        f"ip addr add {ADDRESS}/32 dev lo;"
        f" python3 -B {HERE}/receiver.py {ADDRESS} {PORT} {BROKER} >/out/receiver.log 2>&1 & echo $! >/run/job.receiver; sleep 4"
    )
    await home.measured.install()
    # Neither a hundred definitions nor systemd's patience is tested here.
    await home.machine.run(
        f"mkdir -p /run/shipped {UNIT}; mv /usr/share/measured/devices/[!s]* /run/shipped;"
        f" printf '[Service]\\nTimeoutStartSec=900\\nWatchdogSec=0\\n' >{UNIT}/slow.conf; systemctl daemon-reload",
        timeout=300,
    )
    await home.measured.make_store(os.path.relpath(HERE / "alarm", VM_HOME / "plans"))
    await home.machine.run(f"printf '%s\\n' \"{OUTLETS}\" >>{SETTINGS}")


async def start(home: Home, verb: str) -> None:
    await home.machine.run(f"systemctl daemon-reload && systemctl {verb} measured", timeout=900)
    home.measured.running = True
    await home.measured._note_process()


async def until(home: Home, holds) -> None:
    for _ in range(120):
        if holds(await messages(home)):
            return
        await asyncio.sleep(1)
    raise AssertionError(f"the receiver has {await messages(home)}")


def held(state: dict) -> list[dict]:
    return [one for one in state["waiting"] if one["topic"] == TOPIC]


def deaths(state: dict) -> list[dict]:
    """The loud ones: the quiet one says that the silence is watched."""
    return [one for one in state["rung"] if one["topic"] == TOPIC and one.get("priority", 3) > 3]


async def advance(home: Home, seconds: int) -> None:
    await home.machine.run(f"curl -s -X POST http://{ADDRESS}:{PORT}/test/advance/{seconds}")


async def messages(home: Home) -> dict:
    return json.loads(await home.machine.run(f"curl -s http://{ADDRESS}:{PORT}/test/all"))


async def command(home: Home, arguments: str) -> str:
    return await home.machine.run(f"{home.measured.program} {arguments} 2>&1; true")


async def main() -> int:
    home = Home(VM_WORK / "run" / "messages", "bluetoothd", systemd=True)
    await home.open()
    try:
        await home.fresh()
        async with asyncio.timeout(pace.limit(LIMIT)):
            await scenario(home)
            await home.settled()
    except Exception:
        logs = VM_WORK / "failed" / "messages"
        await home.keep_logs(logs)
        traceback.print_exc()
        print(f"What it left is in {logs}.", file=sys.stderr)
        return 1
    finally:
        await home.end()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
