"""Hostile input through the whole hub: advertisements, notifications, links, motion, broken files.

Each process replays one trace of many inputs into a store in memory, with every shipped definition.
The inputs start from the vectors of the definitions and are mutated.
"""

import collections
import concurrent.futures
import json
import pathlib
import random as randomness
import re
import time

import household
from program import Difference

DEVICES = pathlib.Path(__file__).parent.parent.parent / "Devices"
INPUTS_OF_A_FILE = 4_000
SERVICES = ["180D", "181D", "1810", "1808", "1822", "1809", "181B", "180F", "1805", "181C"]
FAILURES = ["other", "timeout", "authentication", "gone", ""]
EDGES = [b"\x00", b"\xff", b"\x7f", b"\x80", b"\xff\x07", b"\xfe\x07", b"\x02\x08", b"\xff\xff\xff"]
EXPECTED = (0, 1, 3)
PROGRESS = 100


class Corpus:
    """What the shipped definitions say of their devices."""

    def __init__(self):
        self.devices, self.structures = [], []
        for file in sorted(DEVICES.glob("*.yaml")):
            text = file.read_text()
            values = [
                (characteristic, unhex(data)) for characteristic, data in re.findall(
                    r'characteristic: "?([0-9A-Fa-f-]{4,36})"?, hex: "?([0-9a-fA-F ]+)', text)]
            named = re.findall(r'characteristic: "?([0-9A-Fa-f-]{4,36})"?', text)
            prefixes = re.findall(r"namePrefix: ([^}\n]+)", text)
            services = re.findall(r'service: "([0-9A-F]{4})"', text)
            companies = re.findall(r"company: 0x([0-9A-F]{4})", text)
            structures = [
                structure(0x16, unhex(uuid)[::-1] + unhex(data)) for uuid, data in re.findall(
                    r'serviceData: "?([0-9A-F]{4})"?, hex: "?([0-9a-fA-F ]+)', text)]
            structures += [
                structure(0xFF, unhex(company)[::-1] + unhex(data)) for company, data in re.findall(
                    r"manufacturerData: 0x([0-9A-F]{4}), hex: \"?([0-9a-fA-F ]+)", text)]
            structures += [structure(0x09, prefix.strip(' "').encode()) for prefix in prefixes]
            structures += [structure(0x03, unhex(service)[::-1]) for service in services]
            structures += [
                structure(0xFF, unhex(company)[::-1] + b"\x01\x00") for company in companies]
            advertisements = [
                unhex(data) for data in re.findall(r"advertisement: ([0-9a-fA-F ]+)", text)]
            self.structures += structures
            self.devices.append((values, named, structures, advertisements))


def unhex(text):
    digits = re.sub(r"\s", "", text)
    return bytes.fromhex(digits[:len(digits) // 2 * 2])


def structure(kind, data):
    return bytes([min(255, len(data) + 1), kind]) + data


def mutated(random, data):
    data = bytearray(data)
    for _ in range(random.choice([0, 1, 1, 2, 4])):
        place = random.randrange(len(data) + 1)
        change = random.randrange(6)
        if change == 0 and place < len(data):
            data[place] ^= 1 << random.randrange(8)
        elif change == 1 and place < len(data):
            data[place] = random.randrange(256)
        elif change == 2:
            edge = random.choice(EDGES)
            data[place:place + len(edge)] = edge
        elif change == 3:
            data[place:place] = random.randbytes(random.randrange(4))
        elif change == 4:
            del data[place:place + random.randrange(1, 5)]
        else:
            data = data[:place]
    return bytes(data)


class Hostile:
    """One trace: a radio full of broken and malicious devices."""

    def __init__(self, corpus, seed):
        self.corpus, self.random = corpus, randomness.Random(seed)
        self.t = 0.0
        self.addresses = [household.SCALE, household.STRAP] + [
            self.address() for _ in range(14)]
        self.profiles = {
            address: self.random.choice(corpus.devices) for address in self.addresses}

    def address(self):
        return ":".join(f"{self.random.randrange(256):02X}" for _ in range(6))

    def lines(self, count):
        yield json.dumps({
            "measured-trace": 1, "start": household.START.isoformat(), "adapter": "hci0"})
        for _ in range(count):
            step = self.random.random()
            self.t += step if step < 0.95 else step * self.random.choice([60, 3_600, 86_400, 7e5])
            yield json.dumps({"t": round(self.t, 3), **self.event()})

    def event(self):
        random = self.random
        known = random.random() < 0.9
        address = random.choice(self.addresses) if known else self.address()
        values, named, structures, advertisements = self.profiles.get(
            address) or random.choice(self.corpus.devices)
        kind = random.random()
        if kind < 0.40:
            if advertisements and random.random() < 0.3:
                data = random.choice(advertisements)
            else:
                parts = [structure(0x01, b"\x06")] + random.sample(
                    structures or self.corpus.structures, 1)
                more = random.choices(self.corpus.structures, k=random.choice([0, 1]))
                data = b"".join(parts + more)
            return {
                "type": "advertisement", "address": address, "rssi": random.randrange(-128, 128),
                "addressType": random.choice(["public", "random"]),
                "data": mutated(random, data).hex()}
        if kind < 0.80:
            characteristic, data = random.choice(values) if values and random.random() < 0.8 else (
                random.choice(named or ["2A37"]), random.randbytes(random.randrange(24)))
            if random.random() < 0.02:
                data = random.randbytes(512)
            return {
                "type": "value", "address": address, "service": random.choice(SERVICES),
                "characteristic": characteristic, "data": mutated(random, data).hex()}
        if kind < 0.86:
            return {"type": "connected", "address": address}
        if kind < 0.91:
            properties = ["read", "notify", "indicate", "write"]
            characteristics = [
                {"uuid": uuid, "properties": properties}
                for uuid in named if random.random() < 0.9]
            return {
                "type": "services", "address": address,
                "services": [
                    {"uuid": random.choice(SERVICES), "characteristics": characteristics}]}
        if kind < 0.93:
            return {"type": "disconnected", "address": address}
        if kind < 0.95:
            return {
                "type": "written", "address": address,
                "characteristic": random.choice(named or ["2A52"])}
        if kind < 0.96:
            return {"type": "failed", "address": address, "reason": "r"}
        if kind < 0.97:
            return {
                "type": "lost", "address": address,
                "count": random.choice([0, 1, 1 << 31, (1 << 63) - 1])}
        scale = random.choice([0, 1, 2, 16, 2_000])
        rows = [
            [row * random.choice([0.02, 0, -0.01, 10]),
             *(random.uniform(-scale, scale) for _ in range(random.choice([3, 6])))]
            for row in range(random.randrange(1, 60))]
        return {
            "type": "motion", "sensor": random.choice(["left-thigh", "left-shank", "hand", "ä"]),
            "samples": rows}


def broken(random, text):
    """A file with faults in its bytes: it ends at the first of them, with a message."""
    data = bytearray(text.encode())
    for _ in range(random.randrange(1, 8)):
        place = random.randrange(len(data))
        change = random.randrange(5)
        if change == 0:
            data[place] = random.randrange(256)
        elif change == 1:
            del data[place:place + random.randrange(1, 200)]
        elif change == 2:
            data[place:place] = random.choice(
                [b"\n", b"\0", b"\xff\xfe", b'"', b"{" * 5_000, b"1e999", b"-", b"\xef\xbb\xbf"])
        elif change == 3:
            other = random.randrange(len(data))
            data[place:place] = data[other:other + random.randrange(300)]
        elif match := re.compile(rb"-?\d+(\.\d+)?").search(data, place):
            data[match.start():match.end()] = random.choice(
                [b"1e18", b"-1", b"9223372036854775808", b"0.0000001", b"NaN", b"1e-400", b"null"])
    return bytes(data)


class Fuzzing:
    def __init__(self, program, folder, options):
        self.program, self.folder, self.options = program, folder, options
        self.corpus = Corpus()
        self.counts, self.failures = collections.Counter(), []
        self.end = time.monotonic() + options.seconds if options.seconds else None
        (folder / "plan.yaml").write_text(household.plan())

    def file(self, number):
        if self.end and time.monotonic() > self.end:
            return
        seed = f"{self.options.seed} fuzz {number}"
        random = randomness.Random(seed)
        is_broken = number % 4 == 3
        count = 60 if is_broken else INPUTS_OF_A_FILE
        text = "\n".join(Hostile(self.corpus, seed).lines(count)) + "\n"
        arguments = [
            "replay", "trace", "--plan", "plan.yaml", "--json", "--devices", str(DEVICES)]
        # Broken files are small, so several are one number.
        contents = [broken(random, text) for _ in range(20)] if is_broken else [text.encode()]
        for content in contents:
            folder = self.folder / f"fuzz-{number}"
            folder.mkdir()
            (folder / "trace").write_bytes(content)
            (folder / "plan.yaml").write_text(household.plan())
            try:
                result = self.program.run(folder, arguments)
                if result.code not in EXPECTED:
                    raise Difference(f"ended with {result.code}: {result.error.strip()[-600:]}")
                if result.code and not result.error.strip():
                    raise Difference(f"ended with {result.code} and no word about it")
                if not is_broken and result.code:
                    raise Difference(f"a sound trace is refused: {result.error.strip()[-600:]}")
            except Difference as difference:
                self.failures.append(number)
                saved = pathlib.Path(f"fuzz-{self.options.seed}-{number}.jsonl")
                saved.write_bytes(content)
                print(f"input {number} ({saved}): {difference}", flush=True)
            else:
                self.count(result, is_broken, count)
            (folder / "trace").unlink()
            (folder / "plan.yaml").unlink()
            folder.rmdir()

    def count(self, result, is_broken, count):
        self.counts["broken files" if is_broken else "events"] += 1 if is_broken else count
        for row in result.objects():
            if row.get("type") == "summary" and not is_broken:
                for key in ("readings", "unassigned", "duplicates", "rejected", "completed"):
                    self.counts[key] += row.get(key, 0)

    def progress(self, start):
        inputs = self.counts["events"] + self.counts["broken files"]
        return f"{inputs} inputs, {len(self.failures)} failures, {time.monotonic() - start:.0f} s"


def campaign(program, folder, options):
    start = time.monotonic()
    fuzzing = Fuzzing(program, folder, options)
    inputs_of_four = 3 * INPUTS_OF_A_FILE + 20
    files = range(4 * max(1, -(-options.fuzz // inputs_of_four)))
    if options.only is not None:
        files = [options.only]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(fuzzing.file, number) for number in files]
        for number, future in enumerate(runs, 1):
            future.result()
            if number % PROGRESS == 0 and number < len(runs):
                print(fuzzing.progress(start), flush=True)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(fuzzing.counts.items())))
    print(f"{fuzzing.progress(start)}, seed {options.seed}")
    return 1 if fuzzing.failures else 0
