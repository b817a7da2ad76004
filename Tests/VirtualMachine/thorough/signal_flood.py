"""A sensor floods bluetoothd with signals: memory stays bounded, and a scale is still served.

It fails since values come as signals (`StartNotify`): the scale waits behind the flood.
"""

from bench.home import Home
from scenarios import notification_flood

MODES = ("bluetoothd",)
LIMIT = 240


async def run(home: Home) -> str:
    return await notification_flood.run(home)
