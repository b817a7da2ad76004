"""A standard scale measures, its clock is set, and the task is completed."""

import time

from bench.home import Home, eventually, same, within
from peripherals.scale import WeightScale

# What kernel mode may take, counted by the scale: from nothing, and with the handles known.
FIRST_TIME, KNOWN = 8, 3


async def run(home: Home) -> None:
    scale = await home.place(WeightScale(battery=True))
    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed")
    event = await home.completed("weigh-in")
    assert [value["value"] for value in event["values"]] == [82.35], event
    await eventually(lambda: scale.clock_set, "the scale's clock is set")
    year = int.from_bytes(scale.clock_set[:2], "little")
    assert abs(year - time.gmtime().tm_year) <= 1, scale.clock_set.hex()
    if home.mode == "kernel":
        assert scale.requests_to_subscribe <= FIRST_TIME, scale.requests_to_subscribe

    # The next morning it is a device that is known.
    await within(scale.disconnected, "the link is down")
    await scale.step_on(82.05)
    await within(scale.empty, "the second record is confirmed")
    if home.mode == "kernel":
        assert scale.requests_to_subscribe <= KNOWN, scale.requests_to_subscribe
    await eventually(lambda: scale.connection is None, "the link is down again")
    same(await home.weights(), [82.35, 82.05])
