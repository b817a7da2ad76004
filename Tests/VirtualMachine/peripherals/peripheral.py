"""What every sensor has in common: it advertises, is connected to, bonds, forgets and hangs up."""

import asyncio
import struct
import time
from collections.abc import Callable

from bumble import hci
from bumble.att import ATT_Error, ErrorCode
from bumble.core import UUID, AdvertisingData
from bumble.device import AdvertisingType, Connection, Device, DeviceConfiguration
from bumble.gatt import (
    GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR as CCCD,
    Characteristic,
    Service,
)
from bumble.hci import Address
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from bench.link import Air, AirController

Properties = Characteristic.Properties
Permissions = Characteristic.Permissions

# ATT opcodes (Core Specification, Vol 3 Part F §3.4.8).
INDICATION, CONFIRMATION, WRITE_COMMAND = 0x1D, 0x1E, 0x52


class Peripheral:
    """A sensor on the air.

    With `bonded` its values are only given over an encrypted link; with `private` its address is a
    resolvable private one that `rotate` changes; with `silent` it takes a link and never answers.
    """

    number = 0
    # The address of its kind in plans/home.yaml, which says whose it is; `None` for a number of its own.
    bound: str | None = None

    def __init__(
        self,
        name: str,
        services: list[str],
        address: str | None = None,
        bonded: bool = False,
        private: bool = False,
        silent: bool = False,
        battery: bool = False,
    ):
        Peripheral.number += 1
        self.name = name
        self.address = address or self.bound or f"C4:12:34:56:78:{Peripheral.number:02X}"
        self.advertised = [UUID(text) for text in services]
        self.bonded = bonded
        self.private = private
        self.silent = silent
        self.battery = battery
        self.connection: Connection | None = None
        self.connections = 0
        self.disconnected = asyncio.Event()
        self.paired = asyncio.Event()
        self.requests: list[int] = []  # opcodes of the ATT requests of the present link
        self.requests_to_subscribe: int | None = None
        self.holds_confirmations = False
        self.confirmation_held = asyncio.Event()
        self.refused_subscriptions = 0  # how many of the next ones are refused
        self.lost_in_pairing: int | None = None  # at which packet of the pairing the link is lost
        self.awake = False
        self.history: list[str] = []

    def say(self, *words: object) -> None:
        """Notes what happened, for the log of a failed scenario."""
        self.history.append(f"{time.time():.3f} {self.name}: " + " ".join(map(str, words)))

    # What a kind of sensor adds

    def offered(self) -> list[Service]:
        """The services of this kind of sensor."""
        return []

    async def on_subscribed(self, characteristic: Characteristic) -> None:
        """Somebody wants a characteristic's values."""

    def characteristic(
        self,
        uuid: str,
        properties: Properties,
        value: bytes | None = None,
        on_write: Callable[[bytes], None] | None = None,
    ) -> Characteristic:
        """Makes a characteristic that is guarded as this sensor guards its values."""
        permissions = Permissions.READABLE | Permissions.WRITEABLE
        if self.bonded:
            permissions |= Permissions.READ_REQUIRES_ENCRYPTION
            permissions |= Permissions.WRITE_REQUIRES_ENCRYPTION
        made = Characteristic(UUID(uuid), properties, permissions, value or b"")
        if on_write:
            made.on("write", lambda _connection, data: on_write(bytes(data)))
        return made

    # Life

    async def join(self, air: Air) -> None:
        """Switches it on, silent until `wake`."""
        self.air = air
        self.controller = AirController(
            self.name, link=air, public_address=f"00:1B:DC:00:01:{Peripheral.number & 0xFF:02X}"
        )
        host = Host()
        host.controller = self.controller
        configuration = DeviceConfiguration(
            name=self.name,
            address=Address(self.address),
            irk=bytes(range(16)),
            le_privacy_enabled=self.private,
            le_rpa_timeout=0,
        )
        self.device = Device(config=configuration, host=host)
        self._accept = self.device.gatt_server.write_cccd
        self.device.gatt_server.write_cccd = self._write_cccd
        self.device.pairing_config_factory = lambda _connection: PairingConfig(
            sc=True,
            mitm=False,
            bonding=True,
            delegate=PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        for service in self.offered():
            self.device.add_service(service)
            for characteristic in service.characteristics:
                self._watch(characteristic)
        if self.battery:
            level = self.characteristic("2A19", Properties.READ | Properties.NOTIFY, b"\x5a")
            self.device.add_service(Service(UUID("180F"), [level]))
        if self.bonded:
            for attribute in self.device.gatt_server.attributes:
                if attribute.type == CCCD:
                    attribute.permissions |= Permissions.WRITE_REQUIRES_ENCRYPTION
        air.taps.append(self._tap)
        air.pairing_taps.append(self._pairing_tap)
        self.device.on("connection", self._on_connection)
        await self.device.power_on()
        self.device.keystore = MemoryKeyStore()

    async def leave(self) -> None:
        """Switches it off and takes it off the air."""
        await self.sleep()
        await self.hang_up()
        self.air.taps.remove(self._tap)
        self.air.pairing_taps.remove(self._pairing_tap)
        self.air.remove_controller(self.controller)

    async def wake(self) -> None:
        """Advertises, and again after each link, until `sleep`."""
        self.awake = True
        if self.connection is None:
            await self._advertise()

    async def sleep(self) -> None:
        """Stops advertising; a link stays."""
        self.awake = False
        await self.device.stop_advertising()

    async def hang_up(self) -> None:
        """Takes the link down from this side."""
        if self.connection:
            self.say("hangs up")
            await self.connection.disconnect()

    async def vanish(self) -> None:
        """Goes out of range: both sides see a supervision time-out."""
        if self.connection:
            self.say("is out of range")
            await self.connection.disconnect(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)

    async def forget(self) -> None:
        """Loses its bonds, as with a change of batteries."""
        await self.device.keystore.delete_all()
        self.say("forgot its bonds")

    async def rotate(self) -> None:
        """Takes the next private address; between links only."""
        await self.device.stop_advertising()
        fresh = Address.generate_private_address(self.device.irk)
        await self.device.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=fresh)
        )
        self.device.random_address = fresh
        self.say("is now", fresh)
        if self.awake:
            await self._advertise()

    async def _advertise(self) -> None:
        await self.device.stop_advertising()
        await self.device.start_advertising(
            advertising_type=AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
            advertising_data=self.advertising_data(),
            scan_response_data=bytes(
                AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode())])
            ),
            auto_restart=False,
            advertising_interval_min=100,
            advertising_interval_max=100,
        )
        self.say("advertises")

    def advertising_data(self) -> bytes:
        """What it advertises: its services."""
        structures = [(AdvertisingData.FLAGS, b"\x06")]
        short = b"".join(uuid.to_bytes() for uuid in self.advertised if len(uuid.to_bytes()) == 2)
        long = b"".join(uuid.to_bytes() for uuid in self.advertised if len(uuid.to_bytes()) == 16)
        if short:
            structures.append((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, short))
        if long:
            structures.append((AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, long))
        return bytes(AdvertisingData(structures))

    # Links

    def _on_connection(self, connection: Connection) -> None:
        self.connection = connection
        self.connections += 1
        self.requests = []
        self.requests_to_subscribe = None
        self.disconnected.clear()
        self.say("connected to", connection.peer_address)
        connection.on("pairing", lambda _keys: (self.say("paired"), self.paired.set()))
        connection.on("pairing_failure", lambda reason: self.say("pairing failed", reason))
        connection.on(
            "connection_encryption_change",
            lambda *_: self.say("encryption", bool(connection.encryption)),
        )
        connection.on("disconnection", self._on_disconnection)

    def _on_disconnection(self, reason: int) -> None:
        self.say("disconnected", hex(reason), "after ATT requests", bytes(self.requests).hex())
        self.connection = None
        self.disconnected.set()
        if self.awake:
            self._task = asyncio.get_running_loop().create_task(self._advertise())

    def _watch(self, characteristic: Characteristic) -> None:
        def changed(_connection, notify: bool, indicate: bool) -> None:
            if notify or indicate:
                if self.requests_to_subscribe is None:
                    self.requests_to_subscribe = len(self.requests)
                self.say("subscribed to", characteristic.uuid, "after", len(self.requests))
                asyncio.get_running_loop().create_task(self.on_subscribed(characteristic))

        characteristic.on("subscription", changed)

    def _write_cccd(self, bearer, characteristic: Characteristic, value: bytes) -> None:
        if self.refused_subscriptions and any(value):
            self.refused_subscriptions -= 1
            self.say("refuses to be subscribed to")
            raise ATT_Error(ErrorCode.UNLIKELY_ERROR)
        self._accept(bearer, characteristic, value)

    def _tap(self, sender: AirController, receiver: AirController, pdu: bytes) -> bool:
        if receiver is not self.controller or not pdu:
            return True
        opcode = pdu[0]
        if opcode == CONFIRMATION and self.holds_confirmations:
            self.say("a confirmation is held back")
            self.confirmation_held.set()
            return False
        if opcode % 2 == 0 and opcode not in (CONFIRMATION, WRITE_COMMAND):
            self.requests.append(opcode)
        return not self.silent

    def _pairing_tap(self, sender: AirController, receiver: AirController, pdu: bytes) -> bool:
        if self.lost_in_pairing is None or receiver is not self.controller:
            return True
        self.lost_in_pairing -= 1
        if self.lost_in_pairing > 0:
            return True
        self.lost_in_pairing = None
        self._vanishing = asyncio.get_running_loop().create_task(self.vanish())
        return False

    # Values

    async def notify(self, characteristic: Characteristic, value: bytes) -> None:
        """Sends a notification, if there is a link that asked for it."""
        if self.connection:
            await self.device.notify_subscriber(self.connection, characteristic, value)

    async def indicate(self, characteristic: Characteristic, value: bytes) -> bool:
        """Sends an indication; whether it was confirmed before the link ended."""
        connection = self.connection
        if connection is None:
            return False
        sending = asyncio.ensure_future(
            self.device.indicate_subscriber(connection, characteristic, value)
        )
        gone = asyncio.ensure_future(self.disconnected.wait())
        self.say("indicates", value.hex())
        await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
        # Bumble also ends its wait for a confirmation, without an error, when the link ends.
        is_gone = self.connection is not connection
        gone.cancel()
        if not is_gone and sending.done() and sending.exception() is None:
            self.say("confirmed", value.hex())
            return True
        sending.cancel()
        return False


def date_time(seconds: float) -> bytes:
    """A time as the Date Time characteristic has it (7 bytes), in UTC."""
    parts = time.gmtime(seconds)
    return struct.pack("<HBBBBB", *parts[:6])
