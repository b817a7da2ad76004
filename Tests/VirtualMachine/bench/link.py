"""The air between the guest's controllers and the sensors.

Bumble's emulated controller was made for two Bumble hosts. With a real kernel on one side it needs
these corrections (Bumble 0.0.236):

1. ACL data are sent from the connection's own address, not always from the random one.
2. LE Create Connection Cancel forgets the pending connection and reports status 0x02; without, the
   kernel's time-out wedges the controller.
3. A scan response is the scan response, and what cannot be connected to says so.
4. LE Enhanced Connection Complete is sent where the host asked for it; Linux else stalls every
   command for four seconds.
5. The accept list is heeded.
6. A reset takes the links down, as pulling the plug does.
"""

import asyncio
from collections.abc import Callable

from bumble import hci, ll
from bumble.controller import AdvertisingSet, Controller, LegacyAdvertiser
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

ATT_CHANNEL, SMP_CHANNEL = 4, 6

# Sees a PDU that is on its way; answers whether it arrives.
Tap = Callable[["AirController", "AirController", bytes], bool]


class Air(LocalLink):
    """What every controller here hears, with taps on the ATT traffic and on the pairing."""

    def __init__(self) -> None:
        super().__init__()
        self.taps: list[Tap] = []
        self.pairing_taps: list[Tap] = []

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        if transport != PhysicalTransport.LE:
            return
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection is None or receiver is None:
            return
        channel = int.from_bytes(data[2:4], "little")
        taps = {ATT_CHANNEL: self.taps, SMP_CHANNEL: self.pairing_taps}.get(channel, [])
        # Every tap sees it, also when another one swallows it.
        if not all([tap(sender_controller, receiver, data[4:]) for tap in taps]):
            return
        asyncio.get_running_loop().call_soon(
            receiver.on_link_acl_data, connection.self_address, transport, data
        )


_Kind = hci.HCI_LE_Set_Advertising_Parameters_Command.AdvertisingType


class _Advertiser(LegacyAdvertiser):
    def _on_timer_fired(self) -> None:
        self.send_advertising_data()
        interval = max(self.advertising_interval_min * 0.000625, 0.02)
        self.timer_handle = asyncio.get_running_loop().call_later(interval, self._on_timer_fired)

    def send_advertising_data(self) -> None:
        if not self.enabled:
            return
        pdu = ll.AdvInd(advertiser_address=self.address, data=self.advertising_data)
        pdu.connectable = self.advertising_type in (_Kind.ADV_IND, _Kind.ADV_DIRECT_IND)
        scannable = self.advertising_type in (_Kind.ADV_IND, _Kind.ADV_SCAN_IND)
        pdu.scan_response = self.scan_response_data if scannable else None
        self.controller.send_advertising_pdu(pdu)


class AirController(Controller):
    """A controller that a kernel can work with."""

    # What the reports' event type says (Core Specification, Vol 4 Part E §7.7.65.13), and the
    # legacy report's number for it.
    LEGACY_REPORT = {0x0013: 0, 0x0012: 2, 0x0010: 3, 0x001B: 4}

    def __init__(self, *arguments, rssi: int = -50, **named):
        super().__init__(*arguments, **named)
        self.rssi = rssi
        self.le_legacy_advertiser = _Advertiser(self)
        self.accept_list: set[tuple[bytes, bool]] = set()
        self.active_scan = False
        self.hangs = False

    def on_packet(self, packet: bytes) -> None:
        """A firmware that hangs takes no command."""
        if not self.hangs:
            super().on_packet(packet)

    # Sending

    def send_advertising_pdu(self, packet) -> None:
        if isinstance(packet, ll.AdvExtInd):
            for advertising in self.advertising_sets.values():
                self._mark(packet, advertising)
        super().send_advertising_pdu(packet)

    @staticmethod
    def _mark(packet, advertising: AdvertisingSet) -> None:
        if advertising.address != packet.advertiser_address or not advertising.parameters:
            return
        properties = int(advertising.parameters.advertising_event_properties)
        packet.connectable = bool(properties & 1)
        packet.scan_response = bytes(advertising.scan_response_data) if properties & 2 else None

    def send_hci_packet(self, packet) -> None:
        if self.hangs:
            return
        enhanced = 0x200
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event) and (
            self.le_event_mask & enhanced
        ):
            packet = hci.HCI_LE_Enhanced_Connection_Complete_Event(
                status=packet.status,
                connection_handle=packet.connection_handle,
                role=packet.role,
                peer_address_type=packet.peer_address_type,
                peer_address=packet.peer_address,
                local_resolvable_private_address=hci.Address.ANY,
                peer_resolvable_private_address=hci.Address.ANY,
                connection_interval=packet.connection_interval,
                peripheral_latency=packet.peripheral_latency,
                supervision_timeout=packet.supervision_timeout,
                central_clock_accuracy=packet.central_clock_accuracy,
            )
        super().send_hci_packet(packet)

    # Hearing

    def on_advertising_pdu(self, pdu) -> None:
        connectable = getattr(pdu, "connectable", True)
        scan_response = getattr(pdu, "scan_response", None)
        listed = self._key(pdu.advertiser_address) in self.accept_list
        if self.le_scan_enable and (listed or not self.le_scanning_filter_policy & 1):
            kind = 0x0010 if scan_response is None else 0x0013 if connectable else 0x0012
            self.report(pdu.advertiser_address, kind, pdu.data)
            if scan_response is not None and (self.le_scan_type or self.active_scan):
                self.report(pdu.advertiser_address, 0x001B, scan_response)
        pending = self.pending_le_connection
        if not pending or not connectable:
            return
        if getattr(pending, "initiator_filter_policy", 0) == 1:
            if not listed:
                return
            pending.peer_address = pdu.advertiser_address
        if pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, address, kind: int, data) -> None:
        """Reports a received advertisement to the host."""
        if self.le_features & hci.LeFeatureMask.LE_EXTENDED_ADVERTISING:
            event = hci.HCI_LE_Extended_Advertising_Report_Event
            report = event.Report(
                event_type=kind,
                address_type=address.address_type,
                address=address,
                primary_phy=1,
                secondary_phy=0,
                advertising_sid=0xFF,
                tx_power=127,
                rssi=self.rssi,
                periodic_advertising_interval=0,
                direct_address_type=0,
                direct_address=hci.Address.ANY,
                data=bytes(data),
            )
        else:
            event = hci.HCI_LE_Advertising_Report_Event
            report = event.Report(
                event_type=self.LEGACY_REPORT[kind],
                address_type=address.address_type,
                address=address,
                data=bytes(data),
                rssi=self.rssi,
            )
        self.send_hci_packet(event([report]))

    # Commands of the kernel

    def on_hci_le_set_extended_scan_parameters_command(self, command):
        self.active_scan = any(command.scan_types)
        return super().on_hci_le_set_extended_scan_parameters_command(command)

    @staticmethod
    def _key(address) -> tuple[bytes, bool]:
        return bytes(address), bool(address.is_random)

    @staticmethod
    def _named(command) -> tuple[bytes, bool]:
        return bytes(command.address), command.address_type in (1, 3)

    def on_hci_le_clear_filter_accept_list_command(self, command):
        self.accept_list.clear()
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(self, command):
        self.accept_list.add(self._named(command))
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(self, command):
        self.accept_list.discard(self._named(command))
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(
            self.send_hci_packet,
            hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                connection_handle=0,
                role=0,
                peer_address_type=0,
                peer_address=hci.Address.ANY,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
                central_clock_accuracy=0,
            ),
        )
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_reset_command(self, command):
        self.drop_links()
        self.accept_list.clear()
        self.pending_le_connection = None
        self.le_scan_enable = False
        return super().on_hci_reset_command(command)

    def drop_links(self) -> None:
        """What the peers see of a controller that is gone: a supervision time-out."""
        for connection in list(self.le_connections.values()):
            if self.link.find_le_controller(connection.peer_address):
                connection.send_ll_control_pdu(
                    ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
                )
        self.le_connections.clear()
