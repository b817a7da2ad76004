"""Decodes the same advertisements with `measured decode -` and with ruuvitag-ble and xiaomi-ble.

Both references are on PyPI (MIT and Apache licences). Writes a file of JSON Lines for each family,
RuuviTag's format 5 and the Mi Body Composition Scale 2, and prints the microseconds of processor time
a packet, the start of the program left out, and its peak memory; the references read the first million
packets of the same file. Then the same for packets that no definition matches, from 8 and from 600
addresses.

    python3 advertisements.py MEASURED [COUNT]
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ADDRESSES = [":".join(f"{(i * 37 + k * 11) % 256:02X}" for k in range(5)) + ":4F" for i in range(8)]


def ruuvi(i, rng):
    data = f"05{rng.randrange(1000, 8000):04x}5394c37c0004fffc040cac3642{i & 0xFFFF:04x}cbb8334c884f"
    return "020106" + f"{len(data) // 2 + 3:02x}ff9904" + data


def xiaomi(i, rng):
    weight = rng.randrange(8000, 20000)
    return "02010603021b1810161b180226e607020e10293af701" + (
        (weight & 0xFF).to_bytes(1, "big") + (weight >> 8).to_bytes(1, "big")
    ).hex()


def foreign(i, rng):
    return f"0201060bff4c001006{rng.getrandbits(48):012x}"


def write(path, frame, addresses, count):
    rng = random.Random(7)
    with open(path, "w") as file:
        for i in range(count):
            line = {"address": addresses[i % len(addresses)], "data": frame(i, rng)}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def peak(pid):
    """The peak memory so far in kB. `ru_maxrss` would be this script's own, which a child inherits."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return max((int(line.split()[1]) for line in status if line.startswith("VmHWM")), default=0)
    except OSError:
        return 0


def measured(program, path):
    """Seconds of processor time and peak memory in kB."""
    with open(path) as lines:
        process = subprocess.Popen(
            [program, "decode", "-"],
            stdin=lines,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        memory = 0
        while True:
            memory = max(memory, peak(process.pid))
            pid, _, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                return usage.ru_utime + usage.ru_stime, memory
            time.sleep(0.05)


def reference(path, data_class, count):
    """Seconds of processor time of a reference for `count` packets, the reading of JSON left out."""
    from home_assistant_bluetooth import BluetoothServiceInfo

    devices = {}
    total = 0.0
    with open(path) as lines:
        for line in itertools.islice(lines, count):
            frame = json.loads(line)
            data, address = bytes.fromhex(frame["data"]), frame["address"]
            begin = time.process_time()
            services, companies, place = {}, {}, 0
            while place + 1 < len(data) and data[place]:
                length, kind = data[place], data[place + 1]
                body = data[place + 2 : place + 1 + length]
                key = int.from_bytes(body[:2], "little")
                if kind == 0x16:
                    services[f"0000{key:04x}-0000-1000-8000-00805f9b34fb"] = body[2:]
                elif kind == 0xFF:
                    companies[key] = body[2:]
                place += 1 + length
            info = BluetoothServiceInfo(
                name="",
                address=address,
                rssi=-60,
                manufacturer_data=companies,
                service_data=services,
                service_uuids=list(services),
                source="",
            )
            if address not in devices:
                devices[address] = data_class()
            devices[address].update(info)
            total += time.process_time() - begin
    return total


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty")
        write(empty, foreign, ADDRESSES, 0)
        start, _ = measured(program, empty)
        for name, frame in (("ruuvitag", ruuvi), ("xiaomi", xiaomi)):
            path = os.path.join(folder, name)
            write(path, frame, ADDRESSES, count)
            seconds, memory = measured(program, path)
            print(f"{name}: measured {(seconds - start) / count * 1e6:.2f} us a packet, {memory} kB")
            few = min(count, 1_000_000)
            if name == "ruuvitag":
                from ruuvitag_ble import RuuvitagBluetoothDeviceData as data_class
            else:
                from xiaomi_ble.parser import XiaomiBluetoothDeviceData as data_class
            print(f"{name}: reference {reference(path, data_class, few) / few * 1e6:.2f} us a packet")
        many = [f"A0:9E:1A:00:{i >> 8:02X}:{i & 255:02X}" for i in range(600)]
        for addresses in (many[:8], many):
            path = os.path.join(folder, "foreign")
            write(path, foreign, addresses, count)
            seconds, memory = measured(program, path)
            cost = (seconds - start) / count * 1e6
            print(f"foreign, {len(addresses)} addresses: {cost:.2f} us a packet, {memory} kB")


main()
