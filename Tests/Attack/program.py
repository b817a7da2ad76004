"""Runs the program, with faults between it and its files."""

import json
import os
import re
import shutil
import subprocess
import time

# 2026-11-22T12:00:00Z, after the last measurement.
NOW = 1_795_348_800
# Seconds; far more than a busy machine needs.
PATIENCE = 300


class Difference(Exception):
    """What a run found, in words."""


class Result:
    def __init__(self, code, output, error):
        self.code, self.output, self.error = code, output, error
        self.killed = code == -9

    def objects(self):
        """The complete lines of standard output; a kill may cut the last one."""
        found = []
        for line in self.output.splitlines(keepends=True):
            if line.startswith("{") and line.endswith("}\n"):
                found.append(json.loads(line))
        return found


class Files:
    """Stores that are files, each in the folder of a run."""

    is_server = False

    def keep(self, folder, name):
        shutil.copy(folder / "s.sqlite", folder / name)

    def put(self, folder, home, name):
        """Gives a run a copy of a household's store; without a name, none."""
        if name:
            shutil.copy(home / name, folder / "s.sqlite")

    def remove(self, folder):
        (folder / "s.sqlite").unlink()

    def forget(self, folder):
        """Removes all of a run, whose folder is removed afterwards."""

    def resolved(self, folder, arguments, way):
        return arguments


class Program:
    def __init__(self, binary, shim, stores=None):
        self.binary, self.shim = str(binary), str(shim)
        self.stores = stores or Files()

    def environment(self, folder, faults):
        # Nothing of the machine's settings or stores.
        settings = {
            "PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TZ": "UTC",
            "LD_PRELOAD": self.shim, "FAULTS_ROOT": str(folder), "FAULTS_TIME": str(NOW),
            "SWIFT_BACKTRACE": "enable=no",
        }
        if "LD_LIBRARY_PATH" in os.environ:
            settings["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        settings.update({"FAULTS_" + name.upper(): str(value) for name, value in faults.items()})
        return settings

    def start(self, folder, arguments, way=None, **faults):
        return subprocess.Popen(
            [self.binary, *self.stores.resolved(folder, arguments, way)], cwd=folder, env=self.environment(folder, faults),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace")

    def finish(self, process, arguments):
        try:
            output, error = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Difference(f"{' '.join(arguments)} did not end within {PATIENCE} s") from None
        return Result(process.returncode, output, error)

    def run(self, folder, arguments, kill_after=None, started=None, **faults):
        process = self.start(folder, arguments, **faults)
        if started:
            started(process)
        if kill_after is not None:
            time.sleep(kill_after)
            process.kill()
        return self.finish(process, arguments)

    def must(self, folder, arguments, **faults):
        """Runs a command that has to succeed."""
        result = self.run(folder, arguments, **faults)
        if result.code != 0:
            raise Difference(
                f"{' '.join(arguments)} ended with {result.code}:"
                f" {(result.error + result.output).strip()[-400:]}")
        return result

    def check(self, folder):
        self.must(folder, ["store", "check", "--store", "s.sqlite"])

    def export(self, folder, store="s.sqlite"):
        """Everything in a store, without what differs between two equal histories."""
        result = self.must(folder, ["store", "export", "--store", store])
        return normalized(result.output)

    def exported(self, folder):
        """The content of an exported file, and of the store that it is of."""
        return normalized((folder / "old.jsonl").read_text()) + self.export(folder)

    def copied(self, folder):
        """The content of a backup."""
        return self.export(folder, "b.sqlite")

    def view(self, folder, store="s.sqlite"):
        """What people see: events and samples."""
        span = ["--from", "2026-11-15", "--to", "2026-11-22"]
        events = self.must(folder, ["events", "--store", store, "--json", *span]).objects()
        samples = self.must(folder, ["samples", "--store", store, "--json"]).objects()
        for event in events:
            (event.get("answer") or {}).pop("at", None)
            for value in event.get("values", []):
                if value["provenance"] == "manual":
                    value.pop("time")
        for sample in samples:
            sample.pop("id", None)
            if sample.get("provenance") == "manual":
                for key in ("arrival", "time", "raw", "device"):
                    sample.pop(key, None)
        return sorted(json.dumps(row, sort_keys=True) for row in events + samples)


# Names by content have version 8; all others are random.
RANDOM_UUID = re.compile(r"[0-9A-F]{8}-[0-9A-F]{4}-[0-79A-F][0-9A-F]{3}-[0-9A-F]{4}-[0-9A-F]{12}")


def normalized(export):
    rows = []
    for line in export.splitlines():
        row = json.loads(line)
        if row.get("kind") in ("writer", "end"):
            continue
        for key in ("writer", "clock"):
            row.pop(key, None)
        rows.append(RANDOM_UUID.sub("random", json.dumps(row, sort_keys=True)))
    return sorted(rows)


def first_difference(wanted, found):
    missing = [row for row in wanted if row not in set(found)]
    surplus = [row for row in found if row not in set(wanted)]
    return (
        f"{len(missing)} rows missing, {len(surplus)} unexpected; missing {missing[:1]},"
        f" unexpected {surplus[:1]}"
    )[:900]
