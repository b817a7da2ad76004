"""Reads the demo's FIT and Open mHealth files by garmin-fit-sdk and omh-shim, and holds them to the store."""

import json
import pathlib
import subprocess
import sys
import tempfile
from datetime import datetime, timezone

from garmin_fit_sdk import Decoder, Stream
from omh_shim._validate import validate_output

PROGRAM = sys.argv[1]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    store = ["--store", str(folder / "demo.sqlite")]
    run("demo", *store, "--no-serve")
    samples = [json.loads(line) for line in run("samples", "list", "--json", "--patient", "alex", *store).splitlines()]

    def times(quantity):
        return {
            datetime.fromisoformat(one["time"]).astimezone(timezone.utc): one["value"]
            for one in samples if one["quantity"] == quantity}  # fmt: skip

    failures = 0
    for kind, key, fields in (
        ([], "weight_scale_mesgs", {"weight": "bodyMass", "percent_fat": "bodyFatPercentage"}),
        (["--pressures"], "blood_pressure_mesgs",
         {"systolic_pressure": "bloodPressureSystolic", "diastolic_pressure": "bloodPressureDiastolic"}),
    ):  # fmt: skip
        path = folder / f"{key}.fit"
        if subprocess.run([PROGRAM, "samples", "export", str(path), "--patient", "alex", *kind, *store]).returncode:
            print(f"{key}: the demo has none")
            continue
        if not Decoder(Stream.from_file(str(path))).check_integrity():
            failures += 1
            print(f"{key}: the file is damaged")
        messages, errors = Decoder(Stream.from_file(str(path))).read()
        rows = messages.get(key, [])
        wrong = [
            (row["timestamp"], field) for row in rows for field, quantity in fields.items()
            if field in row and abs(times(quantity).get(row["timestamp"], -1) - row[field]) > 0.006]  # fmt: skip
        failures += len(errors) + len(wrong) + (len(rows) != len(times(next(iter(fields.values())))))
        print(f"{key}: {len(rows)} records, {len(wrong)} wrong, {len(errors)} errors")

    path = folder / "points.ndjson"
    run("samples", "export", str(path), "--patient", "alex", *store)
    counts = {}
    for line in path.read_text().splitlines():
        point = json.loads(line)
        schema = point["header"]["schema_id"]
        name = f"{schema['namespace']}:{schema['name']}:{schema['version']}"
        counts[name] = counts.get(name, 0) + 1
        try:
            validate_output(point["body"], name)
        except Exception as error:  # noqa: BLE001
            failures += 1
            print(f"{name}: {error}")
    print(f"Open mHealth: {counts}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
