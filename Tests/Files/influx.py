"""influx.py PROGRAM: the demo's fortnight in Debian's InfluxDB, queried back; what changes follows."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import check, failures, free_port

PROGRAM = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp(prefix="influx-"))
store = folder / "demo.sqlite"


def measured(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--store", str(store)], check=True, capture_output=True, text=True).stdout


def query(base, text):
    address = f"{base}/query?" + urllib.parse.urlencode({"db": "health", "epoch": "u", "q": text})
    with urllib.request.urlopen(urllib.request.Request(address, method="POST"), timeout=60) as answer:
        return json.load(answer)["results"][0].get("series", [])


def stored():
    """What counts of the person, by quantity: time in microseconds, value, and how it came about."""
    found = {}
    for line in measured("samples", "list", "--json", "--patient", "alex").splitlines():
        one = json.loads(line)
        if one.get("state", "live") == "live":
            moment = round(datetime.fromisoformat(one["time"]).timestamp() * 1e6)
            found.setdefault(one["quantity"], []).append((moment, one["value"]))
    return {quantity: sorted(values) for quantity, values in found.items()}


def queried(base):
    return {
        series["name"]: sorted((row[0], row[1]) for row in series["values"])
        for series in query(base, "SELECT value FROM /.*/ WHERE patient = 'alex'")}  # fmt: skip


def differences(ours, theirs):
    return {name: (len(ours.get(name, [])), len(theirs.get(name, [])), [pair for pair in zip(ours.get(name, []), theirs.get(name, [])) if pair[0] != pair[1]][:2])
            for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)}  # fmt: skip


def wait(name, base, seconds=120):
    end = time.monotonic() + seconds
    while (wrong := differences(stored(), queried(base))) and time.monotonic() < end:
        time.sleep(1)
    check(name, not wrong, wrong)


def main():
    port, other = free_port(), free_port()
    base = f"http://127.0.0.1:{port}"
    variables = {
        "META_DIR": folder / "meta", "DATA_DIR": folder / "data", "DATA_WAL_DIR": folder / "wal",
        "HTTP_BIND_ADDRESS": f"127.0.0.1:{port}", "BIND_ADDRESS": f"127.0.0.1:{other}", "HTTP_LOG_ENABLED": "false",
        "REPORTING_DISABLED": "true", "MONITOR_STORE_ENABLED": "false"}  # fmt: skip
    measured("demo", "--no-serve")
    (folder / "none.conf").write_text("")
    with (folder / "influxd.log").open("w") as log:
        database = subprocess.Popen(
            ["influxd", "-config", str(folder / "none.conf")], stdout=log, stderr=log,
            env={**os.environ, **{f"INFLUXDB_{key}": str(value) for key, value in variables.items()}})  # fmt: skip
    settings = folder / "settings.yaml"
    settings.write_text(f"store: {store}\npage: off\noutlets:\n"
                        f"  graphs: {{kind: influxDB, address: '{base}', people: all, since: 2000-01-01, database: health}}\n")
    daemon = None
    try:
        for _ in range(100):
            try:
                query(base, "CREATE DATABASE health")
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        with (folder / "daemon.log").open("w") as log:
            daemon = subprocess.Popen([PROGRAM, "run", "--settings", str(settings)], stdout=log, stderr=log)
        wait(f"all {sum(map(len, stored().values()))} values are there, as they are", base)
        weights = [json.loads(line) for line in measured("samples", "list", "--quantity", "bodyMass", "--json").splitlines()]
        measured("samples", "correct", str(weights[-1]["id"]), "--value", "61.25 kg")
        measured("samples", "delete", str(weights[0]["id"]))
        wait("a correction and a deletion follow", base)
        check("and are there", (61.25 in [value for _, value in queried(base)["bodyMass"]]))
        measured("store", "erase", "--patient", "alex", "--yes")
        end = time.monotonic() + 120
        while queried(base) and time.monotonic() < end:
            time.sleep(1)
        check("an erasure leaves nothing", not queried(base), queried(base))
    finally:
        for process in (daemon, database):
            if process:
                process.terminate()
                process.wait(30)
    print(f"InfluxDB: {len(failures)} failures" + f", {folder}" * bool(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
