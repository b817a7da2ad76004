"""Synthetic plans and radio traces: a seed always gives the same ones."""

import datetime
import json
import struct

SCALE = "5C:CA:D3:70:D4:A2"
STRAP = "A0:9E:1A:00:00:02"
START = datetime.datetime(2026, 11, 16, 7, 0, tzinfo=datetime.timezone.utc)
DAYS = 5


def plan(title="Weigh yourself", effective=None):
    since = f"\n    effectiveDate: {effective}" if effective else ""
    return f"""timeZone: UTC
patients:
  - {{id: john, name: {{given: John}}, expects: {{bodyMass: 82 kg}}}}
  - {{id: mary, name: {{given: Mary}}, expects: {{bodyMass: 61 kg}}}}
tasks:
  - id: weigh-in
    patient: john
    title: {title}{since}
    schedule:
      - {{start: 2026-11-01, interval: {{days: 1}}, duration: allDay}}
    linkage: {{quantity: bodyMass, type: discrete, unit: kg}}
  - id: weigh-in-mary
    patient: mary
    title: Weigh yourself
    schedule:
      - {{start: 2026-11-01, interval: {{days: 1}}, duration: allDay}}
    linkage: {{quantity: bodyMass, type: discrete, unit: kg}}
  - id: pulse
    patient: john
    title: Heart rate
    schedule:
      - {{start: 2026-11-01, interval: {{days: 1}}, duration: allDay}}
    linkage: {{quantity: heartRate, type: discrete, unit: bpm}}
  - id: pills
    patient: john
    title: Take the pills
    schedule:
      - {{start: 2026-11-01T08:00, interval: {{hours: 8}}, duration: 1h}}
devices:
  - {{address: "{STRAP}", definition: sig-heart-rate, patient: john}}
"""


def scale_advertisement(t, when, kilograms, stable, removed=False, impedance=None):
    control = (0x04 if not stable else 0x24) | (0x80 if removed else 0)
    flags = 0x02
    if impedance is not None:
        control |= 0x02
    payload = struct.pack(
        "<BBHBBBBBHH", flags, control, when.year, when.month, when.day, when.hour, when.minute,
        when.second, impedance or 0, round(kilograms * 200))
    service = bytes([len(payload) + 3, 0x16, 0x1B, 0x18]) + payload
    return {
        "t": t, "type": "advertisement", "address": SCALE, "addressType": "public", "rssi": -61,
        "data": (bytes.fromhex("020106") + service).hex(),
    }


def trace(random, days=DAYS, beats=40):
    """A week's weighings of two persons and a guest, a strap, and strangers on the air."""
    events = []
    for day in range(days):
        base = day * 86_400.0 + random.randrange(600)
        for mean in random.sample([82.0, 61.0, 101.0], random.choice([1, 2, 2, 3])):
            weight = mean + random.gauss(0, 0.5)
            when = START + datetime.timedelta(seconds=int(base) + 4)
            impedance = random.randrange(400, 600)
            events += [
                scale_advertisement(base, when, weight / 2, False),
                scale_advertisement(base + 4.2, when, weight, True),
                scale_advertisement(base + 8, when, weight, True, impedance=impedance),
                scale_advertisement(base + 10.5, when, weight, True, True, impedance),
            ]
            base += random.randrange(60, 900)
        for _ in range(random.randrange(8)):
            base += 1
            address = ":".join(f"{random.randrange(256):02X}" for _ in range(6))
            data = random.randbytes(random.randrange(3, 31)).hex()
            events.append({
                "t": base, "type": "advertisement", "address": address, "addressType": "random",
                "rssi": -80, "data": data})
        events += strap(random, base + 30, beats // days)
    header = {"measured-trace": 1, "start": START.isoformat(), "adapter": "hci0"}
    return [header] + events


def strap(random, t, beats):
    characteristics = [{"uuid": "2A37", "properties": ["notify"]}]
    events = [
        {"t": t, "type": "connected", "address": STRAP},
        {"t": t + 0.5, "type": "services", "address": STRAP,
         "services": [{"uuid": "180D", "characteristics": characteristics}]},
    ]
    for beat in range(beats):
        data = struct.pack("<BBH", 0x16, random.randrange(60, 90), random.randrange(700, 1000))
        events.append({
            "t": t + 1 + beat, "type": "value", "address": STRAP, "service": "180D",
            "characteristic": "2A37", "data": data.hex()})
    events.append({"t": t + 2 + beats, "type": "disconnected", "address": STRAP})
    return events


def text(events):
    return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
