"""Under measured.service: members of its group use the store beside the daemon, which goes on with it."""

import json

from bench.home import Home, same, within
from bench.unit import STATE
from peripherals.scale import WeightScale

SYSTEMD = True
LIMIT = 240

MEMBERS = ("nobody", "daemon")


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    mode = await home.machine.run(f"stat -c '%U %G %a' {STATE}")
    same(mode.strip(), "measured measured 2770")

    # Each time by turns: who writes first after a start makes the log.
    for number, kilograms in enumerate((82.35, 82.30)):
        await _answer(home, number)
        await scale.step_on(kilograms)
        await within(scale.empty, f"{kilograms} kg are confirmed")
        await within(scale.disconnected, "the link is down")
        await home.measured.restart()
    same(sorted(await home.weights()), [82.30, 82.35])
    assert (await home.measured.event("walk"))["completed"], "the steps of the members are not there"
    seen = await _command(home, MEMBERS[1], "samples --quantity bodyMass --json")
    same(sorted(json.loads(line)["value"] for line in seen.splitlines()), [82.30, 82.35])
    assert await home.measured.alive()


async def _answer(home: Home, number: int) -> None:
    """Every member adds steps by hand; all together they are enough."""
    for place, member in enumerate(MEMBERS):
        await _command(home, member, f"done walk --value {20 + place + 2 * number} --unit 1")


async def _command(home: Home, member: str, arguments: str) -> str:
    """Runs a command as a member of the group; gives what it printed."""
    return await home.machine.run(
        f"setpriv --reuid {member} --regid $(id -g {member}) --groups measured"
        f" env HOME=/ /usr/bin/measured {arguments} --store {home.measured.store}"
    )
