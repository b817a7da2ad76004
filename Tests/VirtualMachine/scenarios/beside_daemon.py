"""Beside the running daemon: commands use its store and its radio, and a second daemon is refused."""

import asyncio
import json

from bench.home import Home, eventually, within
from peripherals.peripheral import Peripheral
from peripherals.strap import HeartRateStrap

LIMIT = 420


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap(rate=2))
    lamp = await home.place(Peripheral("Bench Lamp", ["FE0F"], bonded=True, battery=True))
    await home.begin()
    await strap.wake()
    await eventually(lambda: strap.beats, "the first beat", 60)

    # A device with a link is known, and the hub keeps it.
    known = json.loads(
        await home.measured.command(f"identify {strap.address} --connect --json --seconds 10")
    )
    assert known["definition"] == "sig-heart-rate", known
    known = json.loads(await home.measured.command(f"identify {strap.address} --json"))
    assert known["definition"] == "sig-heart-rate", known
    # All at once, and none stops another, or the hub.
    await lamp.wake()
    scanned, _, known = await asyncio.gather(
        home.measured.command("scan --seconds 10 --json", timeout=180),
        home.measured.command("record /tmp/beside.jsonl --force --seconds 10", timeout=180),
        home.measured.command(
            f"identify {strap.address} --connect --json --seconds 10", timeout=180
        ),
    )
    assert lamp.address in scanned, scanned
    assert json.loads(known)["definition"] == "sig-heart-rate", known
    lines = [
        json.loads(line) for line in (await home.machine.run("cat /tmp/beside.jsonl")).splitlines()
    ]
    assert [line for line in lines if line.get("type") == "value"], lines[:5]

    assert "no bond" in await home.measured.command("forget 2>&1")
    await home.measured.command(f"pair {lamp.address} --seconds 20", timeout=120)
    await within(lamp.paired, "the lamp is paired", 5)
    assert lamp.address in await home.measured.command("forget")
    again = await home.measured.command(f"pair {lamp.address} 2>&1", check=False)
    assert "paired already" in again, again
    await home.measured.command(f"forget {lamp.address}")
    assert "no bond" in await home.measured.command("forget 2>&1")
    unknown = await home.measured.command(f"forget {strap.address} 2>&1; echo $?")
    assert "no bond" in unknown and unknown.endswith("4\n"), unknown

    refused = await home.measured.command(
        f"run --store {home.measured.store} --radio {home.mode} 2>&1; echo $?"
    )
    assert "Another daemon" in refused and refused.endswith("1\n"), refused

    assert strap.connections == 1, f"{strap.connections} links"
    await strap.take_off()
    await home.completed("pulse")
    assert await home.measured.alive()
