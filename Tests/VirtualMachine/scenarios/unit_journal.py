"""The journal of a normal day has only lines for a reader, and its warnings the reason of every stop."""

import asyncio
import json
import re

from bench.home import Home, eventually, within
from bench.unit import STATE
from peripherals.scale import BroadcastScale, WeightScale
from peripherals.strap import HeartRateStrap

SYSTEMD = True
LIMIT = 600

# What a normal day says, and how often at most; readings and beats are no news.
LINES = {
    r"bluetoothd is running\.": 2,
    r"The controller hci\d is ready\.": 2,
    r"hci\d listens .*": 2,
    r"Listening through (bluetoothd|kernel); the store is .*": 2,
    r"Commands are taken on .*": 4,
    r"The page: http://127.0.0.1:8473/": 2,
    r"Weight of john stored": 3,
    r"Weigh yourself of john is complete": 1,
    r"Wear the strap of john is complete": 1,
    r"Settings, device definitions and plan were read again\.": 1,
    r"\d+ readings stored, \d+ tasks completed since the start or the last reload\.": 2,
    r"Stopped\.": 2,
    # What this scenario asks while it waits.
    r"A client runs measured (events|samples)\.": 500,
}

# How the service is ended, and what `journalctl -p warning` has to say.
STOPS = [
    (f"rm {STATE}/measured.sqlite*; head -c 20000 /dev/urandom >{STATE}/measured.sqlite;"
     f" chown measured: {STATE}/measured.sqlite; ! timeout 8 systemctl start measured",
     "not a SQLite database"),
    (f"echo 'store: /proc/none/measured.sqlite' >>/etc/measured/measured.yaml;"
     " ! timeout 8 systemctl start measured", "/proc/none"),
    ("systemctl start measured && systemctl kill -s SEGV measured; sleep 1", "core-dump|signal"),
]  # fmt: skip


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    strap = await home.place(HeartRateStrap(rate=2))
    mi = await home.place(BroadcastScale())
    await home.begin()
    await home.measured.stop()
    begun = await _moment(home)
    await home.measured.start()
    await strap.wake()
    await eventually(lambda: len(strap.beats) > 20, "the strap streams", 60)
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed")
    await mi.step_on(82.2)
    await strap.take_off()
    await home.completed("weigh-in")
    await home.measured.signal("HUP")
    await home.measured.until_logged("read again")
    await home.measured.stop()
    await home.measured.start()
    await scale.step_on(82.30)
    await within(scale.empty, "the second record is confirmed")
    await home.measured.stop()

    counts = dict.fromkeys(LINES, 0)
    for line in await _journal(home, begun):
        assert int(line["PRIORITY"]) > 4, f"a warning: {line['MESSAGE']}"
        kind = next((k for k in LINES if re.fullmatch(k, line["MESSAGE"])), None)
        assert kind, f"a line that a reader need not see: {line['MESSAGE']}"
        counts[kind] += 1
    often = {kind: count for kind, count in counts.items() if count > LINES[kind]}
    assert not often, f"too often: {often}"

    # In the bench, systemd's own lines go to the console.
    await home.machine.run(
        "cp -a /etc/measured/measured.yaml /run/settings.yaml; systemctl log-target journal"
    )
    for deed, words in STOPS:
        begun = await _moment(home)
        await home.measured.make_store("home")
        await home.machine.run(deed)
        await asyncio.sleep(1)
        text = await home.machine.run(
            f"journalctl --sync; journalctl -u measured -p warning --since @{begun} -o cat --no-pager;"
            " systemctl stop measured; systemctl reset-failed measured;"
            " cp -a /run/settings.yaml /etc/measured/measured.yaml"
        )
        assert re.search(words, text), f"{deed}: the warnings do not say {words}: {text}"


async def _moment(home: Home) -> str:
    """The guest's time, after everything before it is in the journal."""
    return (await home.machine.run("journalctl --sync; sleep 1; date +%s")).strip()


async def _journal(home: Home, since: str) -> list[dict]:
    """What the service has written."""
    text = await home.machine.run(
        f"journalctl --sync; journalctl _SYSTEMD_UNIT=measured.service --since @{since} -o json --no-pager"
    )
    return [json.loads(line) for line in text.splitlines()]
