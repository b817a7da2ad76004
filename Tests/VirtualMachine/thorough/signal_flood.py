"""A sensor floods bluetoothd with signals: memory stays bounded, and a scale is still served.

It fails: bluetoothd is so busy with signals that it answers no call, not even the end of the link.
"""

from bench.home import Home
from scenarios import notification_flood

MODES = ("bluetoothd",)
LIMIT = 240


async def run(home: Home) -> str:
    return await notification_flood.run(home)
