"""The client to compare with: what a short Python program on bleak does with the same sensor.

bleak_client.py SERVICE CHARACTERISTIC COUNT: prints, with the monotonic clock in seconds, when it
received an advertisement of that service, was connected, had subscribed, and got each value.
"""

import asyncio
import sys
import time

from bleak import BleakClient, BleakScanner


def say(*words: object) -> None:
    print(f"{time.monotonic():.6f}", *words, flush=True)


async def main(service: str, characteristic: str, count: int) -> None:
    values: asyncio.Queue[bytes] = asyncio.Queue()
    say("ready")
    device = await BleakScanner.find_device_by_filter(
        lambda _device, advertisement: service in advertisement.service_uuids,
        service_uuids=[service],
        timeout=60,
    )
    if device is None:
        sys.exit(f"No device with {service} is on the air.")
    say("heard", device.address)
    async with BleakClient(device) as client:
        say("connected")
        await client.start_notify(characteristic, lambda _, data: values.put_nowait(bytes(data)))
        say("subscribed")
        for _ in range(count):
            say("value", (await values.get()).hex())


def full(uuid: str) -> str:
    return uuid if len(uuid) > 4 else f"0000{uuid.lower()}-0000-1000-8000-00805f9b34fb"


asyncio.run(main(full(sys.argv[1]), full(sys.argv[2]), int(sys.argv[3])))
