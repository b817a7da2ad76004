"""Devices with protocols of their makers, played by scripts."""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from bumble.core import UUID, AdvertisingData
from bumble.device import Connection
from bumble.gatt import Characteristic, Service

from .peripheral import Peripheral, Properties

NOTIFY, INDICATE = Properties.NOTIFY, Properties.INDICATE
READ = Properties.READ
WRITE = Properties.WRITE | Properties.WRITE_WITHOUT_RESPONSE

# The zone of plans/makers.yaml: not UTC, so that local time and UTC cannot be confused, and not
# whole hours, so that rounding shows.
ZONE = timezone(timedelta(hours=5, minutes=30))


@dataclass
class Send:
    """A value of a characteristic: notified, or indicated where it is offered so."""

    characteristic: str
    value: bytes


@dataclass
class Wait:
    """A pause, in seconds."""

    seconds: float


class HangUp:
    """The link ends from the device's side, after what was sent has arrived."""


class Done:
    """The device has done all that it is there for."""


Act = Send | Wait | HangUp | Done


@dataclass
class Expected:
    """A reading that has to be in the store.

    `time` is `None` for the time of its arrival; it may be wrong by `tolerance` seconds.
    """

    quantity: str
    value: float
    time: datetime | None = None
    tolerance: float = 0


class Script:
    """What one device does, by the published protocol of its maker: a value state machine.

    It knows nothing of the definition that is tested with it. Each of its methods takes what
    happened and gives what the device does next. `mistakes` are the writes that the device would
    not have understood, `expected` the readings of what it has sent.
    """

    definition: str  # the one that must be chosen
    name: str
    advertised: list[str] = []
    company: int | None = None
    # Whether the name is in the advertisement itself, not only in the scan response.
    says_its_name = False
    table: dict[str, dict[str, Properties]]
    bonded = False
    # That of a device which the plan names; the others have any.
    address: str | None = None

    def __init__(self) -> None:
        self.links = 0
        self.writes: list[str] = []
        self.mistakes: list[str] = []
        self.expected: list[Expected] = []

    def company_data(self) -> bytes:
        """The manufacturer's data in the advertisement, behind its company identifier."""
        return b""

    def linked(self) -> list[Act]:
        """A link is up; what holds for one link only begins anew."""
        return []

    def subscribed(self, characteristic: str) -> list[Act]:
        """Somebody wants the values of a characteristic."""
        return []

    def written(self, characteristic: str, value: bytes) -> list[Act]:
        """Something was written."""
        return []

    def sent(self, characteristic: str, value: bytes) -> list[Act]:
        """A value was notified, or an indication confirmed."""
        return []

    # For the scripts

    def check(self, holds: bool, what: str) -> None:
        """Notes a mistake of the other side."""
        if not holds:
            self.mistakes.append(what)

    def expect(self, quantity: str, value: float, at: datetime | None = None) -> None:
        """A reading that is sent has to be stored."""
        self.expected.append(Expected(quantity, value, at))


class ScriptedPeripheral(Peripheral):
    """A device that does what its script says."""

    def __init__(self, script: Script, **options):
        super().__init__(
            script.name, script.advertised, script.address, bonded=script.bonded, **options
        )
        self.script = script
        script.address = self.address
        self.finished = asyncio.Event()
        self.first_awake: float | None = None
        self._acts: asyncio.Queue[Act] = asyncio.Queue()
        self._performing: asyncio.Task | None = None

    def offered(self) -> list[Service]:
        self._offered: dict[str, Characteristic] = {}
        services = []
        for service, table in self.script.table.items():
            for uuid, properties in table.items():
                self._offered[uuid] = self.characteristic(
                    uuid, properties, on_write=lambda value, uuid=uuid: self._on_write(uuid, value)
                )
            services.append(Service(UUID(service), [self._offered[uuid] for uuid in table]))
        return services

    def advertising_data(self) -> bytes:
        more = []
        if self.script.says_its_name:
            more.append((AdvertisingData.COMPLETE_LOCAL_NAME, self.script.name.encode()))
        if self.script.company is not None:
            company = self.script.company.to_bytes(2, "little") + self.script.company_data()
            more.append((AdvertisingData.MANUFACTURER_SPECIFIC_DATA, company))
        return super().advertising_data() + bytes(AdvertisingData(more))

    async def wake(self) -> None:
        self.first_awake = self.first_awake or time.time()
        await super().wake()

    def _on_connection(self, connection: Connection) -> None:
        super()._on_connection(connection)
        if self._performing:
            self._performing.cancel()
        self._acts = asyncio.Queue()
        self.script.links += 1
        self._do(self.script.linked())
        # Kept, or the loop may forget a task that is under way.
        self._performing = asyncio.get_running_loop().create_task(self._perform(connection))

    async def on_subscribed(self, characteristic: Characteristic) -> None:
        for uuid, offered in self._offered.items():
            if offered is characteristic:
                self._do(self.script.subscribed(uuid))

    def _on_write(self, uuid: str, value: bytes) -> None:
        self.say("written", uuid, value.hex())
        self.script.writes.append(value.hex())
        known = len(self.script.mistakes)
        self._do(self.script.written(uuid, value))
        for mistake in self.script.mistakes[known:]:
            self.say("mistake", mistake)

    def _do(self, acts: list[Act]) -> None:
        for act in acts:
            self._acts.put_nowait(act)

    async def _perform(self, connection: Connection) -> None:
        acts = self._acts
        while True:
            act = await acts.get()
            if self.connection is not connection:
                return
            if isinstance(act, Send):
                await self._send(act)
            elif isinstance(act, Wait):
                await asyncio.sleep(act.seconds)
            elif isinstance(act, HangUp):
                await asyncio.sleep(0.3)
                await self.hang_up()
                return
            else:
                self.say("is done")
                self.finished.set()

    async def _send(self, act: Send) -> None:
        characteristic = self._offered[act.characteristic]
        if characteristic.properties & INDICATE:
            arrived = await self.indicate(characteristic, act.value)
        else:
            self.say("notifies", act.characteristic, act.value.hex())
            await self.notify(characteristic, act.value)
            arrived = True
        if arrived:
            self._do(self.script.sent(act.characteristic, act.value))


# Bytes


def sum8(frame: bytes) -> bytes:
    """The frame with the low byte of its sum behind it."""
    return frame + bytes([sum(frame) & 0xFF])


def xor(frame: bytes, first: int = 0) -> bytes:
    """The frame with the exclusive or of its bytes behind it, from the byte `first` on."""
    check = 0
    for byte in frame[first:]:
        check ^= byte
    return frame + bytes([check])


def local(seconds: float) -> datetime:
    """A time as a clock of the plan's zone shows it, without the zone."""
    return datetime.fromtimestamp(int(seconds), ZONE).replace(tzinfo=None)


def is_now(shown: datetime) -> bool:
    """Whether a clock of the plan's zone shows that time, to a minute."""
    return abs((shown - local(time.time())).total_seconds()) <= 60


def instant(shown: datetime) -> datetime:
    """The instant at which a clock of the plan's zone shows a time."""
    return shown.replace(tzinfo=ZONE)
