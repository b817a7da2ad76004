"""What must hold while the daemon waits for its store."""

import asyncio

from peripherals.scale import WeightScale

from .home import Home, eventually, same


async def links_stay_down(home: Home, scale: WeightScale) -> None:
    """The scale's link is taken down and not made again, and the daemon goes on."""
    await eventually(lambda: scale.connection is None, "the link is taken down", 20)
    links = scale.connections
    # Longer than the pause between two tries.
    await asyncio.sleep(13)
    assert await home.measured.alive(), "it ended"
    same(scale.connections, links)
