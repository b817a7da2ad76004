"""fhir.py PROGRAM: the demo as FHIR, judged by others' validators; four servers get the same; a plan comes back."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import check, failures
from clinic import Clinic
from rules import faults

PROGRAM = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp(prefix="fhir-test."))
store = folder / "demo.sqlite"
settings = folder / "settings.yaml"


def measured(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--store", str(store)], capture_output=True, text=True, timeout=180,
                          env={**os.environ, "HOME": str(folder), "TZ": "Europe/Berlin", "LANG": "C.UTF-8"})


def wait(name, condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return check(name, True)
        time.sleep(0.5)
    check(name, False, condition())


# Files


def resources():
    result = measured("store", "export", "--fhir", "-")
    return [entry["resource"] for entry in json.loads(result.stdout)["entry"]]


def change(resource, path, value):
    """A copy with another value at a path; without it if the value is None."""
    copied = copy.deepcopy(resource)
    part = copied
    for key in path[:-1]:
        part = part[key]
    if value is None:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return copied


def first(all_, kind, holds=lambda _: True):
    return next(one for one in all_ if one["resourceType"] == kind and holds(one))


def check_rules(all_):
    wrong = {one["id"]: found for one in all_ if (found := faults(one))}
    check(f"{len(all_)} resources are valid", not wrong, wrong)
    ids = [(one["resourceType"], one["id"]) for one in all_]
    check("each has an id of its own", len(set(ids)) == len(ids))

    weight = first(all_, "Observation", lambda one: "29463-7" in json.dumps(one["code"]) and "valueQuantity" in one)
    pressure = {
        "resourceType": "Observation", "id": "bp", "status": "final", "category": weight["category"],
        "meta": {"profile": ["http://hl7.org/fhir/StructureDefinition/vitalsigns"]}, "subject": weight["subject"],
        "code": {"coding": [{"system": "http://loinc.org", "code": "85354-9"}]}, "effectiveDateTime": "2026-11-20",
        "component": [
            {"code": {"coding": [{"system": "http://loinc.org", "code": code}]},
             "valueQuantity": {"value": 120, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"}}
            for code in ("8480-6", "8462-4")]}  # fmt: skip
    request = first(all_, "ServiceRequest", lambda one: "occurrenceTiming" in one)
    repeat = ["occurrenceTiming", "repeat"]
    answers = first(all_, "QuestionnaireResponse")
    plan = {"resourceType": "CarePlan", "id": "c", "status": "active", "intent": "plan", "subject": weight["subject"],
            "period": {"start": "2026-11-01", "end": "2026-12-01"}, "activity": [{"reference": {"reference": "x"}}]}
    check("the models of the mutations are valid", not faults(pressure) + faults(plan), faults(pressure) + faults(plan))
    item = {"linkId": "a", "answer": [{"valueString": "x"}]}
    mutations = {
        "no status": change(weight, ["status"], None),
        "another status": change(weight, ["status"], "finished"),
        "no code": change(weight, ["code"], None),
        "two values": change(weight, ["valueString"], "60 kg"),
        "a value and why there is none": change(weight, ["dataAbsentReason"], {"text": "x"}),
        "neither value nor why": change(weight, ["valueQuantity"], None),
        "another unit": change(weight, ["valueQuantity", "code"], "mg"),
        "another system of units": change(weight, ["valueQuantity", "system"], "http://example.org"),
        "no category": change(weight, ["category"], [{"coding": [{"system": "x", "code": "survey"}]}]),
        "a time to the month": change(weight, ["effectiveDateTime"], "2026-11"),
        "no time at all": change(weight, ["effectiveDateTime"], "yesterday"),
        "an unknown key": change(weight, ["wieght"], 60),
        "an id with an underscore": change(weight, ["id"], "a_b"),
        "an empty list": change(weight, ["identifier"], []),
        "the code of the whole in a part": change(
            change(pressure, ["valueString"], "x"), ["component", 0, "code"], pressure["code"]),
        "half a pressure": change(pressure, ["component"], pressure["component"][:1]),
        "a duration without its unit": change(
            change(request, [*repeat, "duration"], 1), [*repeat, "durationUnit"], None),
        "a negative period": change(change(request, [*repeat, "period"], -1), [*repeat, "periodUnit"], "d"),
        "a time of day and when": change(
            change(request, [*repeat, "timeOfDay"], ["08:00:00"]), [*repeat, "when"], ["MORN"]),
        "an offset from no event": change(request, [*repeat, "offset"], 10),
        "an end before its start": change(plan, ["period", "end"], "2026-10-01"),
        "a detail and a reference": change(
            plan, ["activity", 0, "detail"], {"status": "scheduled"}),
        "items below item and answer": change(
            answers, ["item"], [{"linkId": "b", "item": [item], "answer": [{"valueString": "y"}]}]),
    }  # fmt: skip
    passed = [name for name, one in mutations.items() if not faults(one)]
    check(f"each of {len(mutations)} broken resources is found out", not passed, passed)


# Servers


def content(clinic, is_named_by_us=True):
    """The Observations of a server, by our name of them."""
    found = {}
    for one in clinic.observations():
        name = one["identifier"][0]["value"]
        if not is_named_by_us:
            one = {key: one.get(key) for key in ("status", "code", "effectiveDateTime", "effectivePeriod",
                                                 "valueQuantity", "valueSampledData", "component")}
        found.setdefault(name, []).append({key: value for key, value in one.items() if value is not None})
    return found


def plain(contents):
    keys = ("status", "code", "effectiveDateTime", "effectivePeriod", "valueQuantity", "valueSampledData", "component")
    return {name: [{key: one[key] for key in keys if key in one} for one in all_] for name, all_ in contents.items()}


ORDER = {
    "resourceType": "ServiceRequest", "id": "sr-1", "status": "active", "intent": "order",
    "code": {"text": "Walk to the park"}, "subject": {"reference": "Patient/4711"},
    "occurrenceTiming": {"repeat": {"boundsPeriod": {"start": "2026-11-01"}, "frequency": 1, "period": 1,
                                    "periodUnit": "d", "timeOfDay": ["10:00:00"]}}}  # fmt: skip


def order(number, **changes):
    return {**copy.deepcopy(ORDER), "id": f"sr-{number}", "code": {"text": f"Exercise {number}"}, **changes}


def main():
    measured("demo", "--no-serve")
    check_rules(resources())

    made = measured_key(folder / "clinic.key")
    other = measured_key(folder / "other.key")
    check("a key that is there is kept", measured_key(folder / "clinic.key") == made)
    check("a key is nobody else's to read", (folder / "clinic.key").stat().st_mode & 0o077 == 0)
    clean = Clinic()
    stumbling = Clinic(faults=["500", "cut", None, "429", None, "HTML"])
    unnamed = Clinic(takes_ids=False, faults=[None, "cut"])
    stored = Clinic(keys={}, faults=[None, "500", "cut"])
    stored.tokens["a word"] = float("inf")
    keyed = Clinic(keys={made["kid"]: made})
    strange = Clinic(keys={made["kid"]: made})
    mapping = folder / "mapping.yaml"
    mapping.write_text("patients: {Patient/4711: alex}\n")
    since = "people: all, since: 2000-01-01"
    settings.write_text(
        f"store: {store}\npage: off\noutlets:\n"
        f"  clean: {{kind: fhir, address: '{clean.base}', {since}}}\n"
        f"  stumbling: {{kind: fhir, address: '{stumbling.base}', {since}}}\n"
        f"  unnamed: {{kind: fhir, address: '{unnamed.base}', {since}}}\n"
        f"  keyed: {{kind: fhir, address: '{keyed.base}', {since}, client: box-17,\n"
        f"    secretFile: {folder / 'clinic.key'}}}\n"
        f"  plans: {{kind: fhir, address: '{keyed.base}', people: [nobody], client: box-17,\n"
        f"    secretFile: {folder / 'clinic.key'}, mapping: {mapping}}}\n"
        f"  strange: {{kind: fhir, address: '{strange.base}', people: [nobody], client: box-17,\n"
        f"    secretFile: {folder / 'other.key'}}}\n")  # fmt: skip
    check("another key is another", other["kid"] != made["kid"])
    daemon = subprocess.Popen(
        [PROGRAM, "run", "--settings", str(settings)], stdout=(folder / "daemon.log").open("w"),
        stderr=subprocess.STDOUT, env={**os.environ, "HOME": str(folder)})
    try:
        add_stored(stored)
        servers(clean, stumbling, unnamed, keyed, stored)
        end_stored(stored)
    finally:
        daemon.terminate()
        daemon.wait(30)
    plans(keyed, strange)
    print(f"\n{len(failures)} failed" + "".join("\n" + name for name in failures) + f"\n{folder}" * bool(failures))
    sys.exit(1 if failures else 0)


def measured_key(path):
    result = subprocess.run([PROGRAM, "outlet", "key", str(path)], capture_output=True, text=True, timeout=60)
    check(f"outlet key {path.name}", result.returncode == 0 and str(path) in result.stderr, result.stderr)
    return json.loads(result.stdout)["keys"][0]


def outlets():
    listed = measured("outlet", "list", "--json", "--settings", str(settings)).stdout
    return {one["name"]: one for one in map(json.loads, listed.splitlines())}


def add_stored(stored):
    """One that is set up while the daemon runs, as a person does, with a secret that is typed."""
    secret = folder / "secret"
    secret.write_text("a word\n")
    keys = (f"address={stored.base}", "people=all", "since=2000-01-01")
    added = measured("outlet", "add", "stored", "fhir", *keys, "--secret", str(secret), "--settings", str(settings))
    check("an outlet of the store is set up", added.returncode == 0, added.stderr)
    secret.unlink()
    twice = measured("outlet", "add", "clean", "fhir", *keys, "--settings", str(settings))
    check("one of the settings' names is not", twice.returncode == 3, twice.stderr)
    for name in ("stored", "keyed"):
        tried = measured("outlet", "test", name, "--settings", str(settings))
        check(f"{name} is tried", tried.returncode == 0, tried.stdout + tried.stderr)


def end_stored(stored):
    """Stopped, it gets nothing; it goes on, and is taken away."""
    def weigh(kilograms):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        (folder / "weights.csv").write_text(f"date,weight\n{now},{kilograms}\n")
        made = measured("import", str(folder / "weights.csv"), "--patient", "alex", "--columns", "date=1",
                        "--columns", "weight=2:kg")
        check(f"{kilograms} kg is weighed", made.returncode == 0, made.stderr)

    def has(kilograms):
        return any(one.get("valueQuantity", {}).get("value") == kilograms for one in stored.observations())

    check("it is stopped", measured("outlet", "pause", "stored").returncode == 0)
    weigh(63.25)
    time.sleep(6)
    check("a stopped one gets nothing", not has(63.25) and outlets()["stored"]["state"] == "paused")
    check("it goes on", measured("outlet", "resume", "stored").returncode == 0)
    wait("what waited has left", lambda: has(63.25))
    plan = measured("plan", "import", "--from", "stored", "--settings", str(settings), "--mapping",
                    str(folder / "mapping.yaml"))
    check("its server is asked for a plan", plan.returncode == 1 and "nothing active" in plan.stderr, plan.stderr)
    check("it is taken away", measured("outlet", "remove", "stored").returncode == 0)
    weigh(63.5)
    time.sleep(6)
    check("one that is gone gets nothing", not has(63.5) and "stored" not in outlets(), outlets())


def servers(clean, stumbling, unnamed, keyed, stored):
    all_ = [clean, stumbling, unnamed, keyed, stored]
    expected = len([one for one in resources() if one["resourceType"] == "Observation"])

    def has_left():
        listed = outlets().values()
        return len(listed) == 7 and not any(one.get("oldestUnsent") or one["refused"] for one in listed)

    def agree():
        whole = content(clean)
        return (whole == content(stumbling) == content(keyed) == content(stored)
                and plain(content(unnamed)) == plain(whole))

    wait("all of it has left", lambda: has_left() and agree(), 240)
    number = len(content(clean))
    check(f"each server has {number} of {expected} observations", 0 < expected - number < 20 or number == expected)
    stumbling.faults += ["cut", "429 Retry-After", "500 after"]
    unnamed.faults += ["500 after"]
    doubles = [name for one in all_ for name, found in content(one).items() if len(found) != 1]
    check("nothing is there twice", not doubles, doubles)

    listed = [json.loads(line) for line in measured("samples", "list", "--quantity", "bodyMass", "--json").stdout.splitlines()]
    right, gone = listed[-1]["id"], listed[0]["id"]
    check("a weight is corrected", measured("samples", "correct", str(right), "--value", "61.25 kg").returncode == 0)
    check("a weight is deleted", measured("samples", "delete", str(gone)).returncode == 0)

    def followed(clinic):
        states = [one["status"] for one in clinic.observations()]
        return "corrected" in states and "entered-in-error" in states

    wait("both follow everywhere", lambda: all(followed(one) for one in all_) and agree(), 120)
    # One request may have had both.
    wait("every stumble was met", lambda: not any(one.faults for one in (stumbling, unnamed, stored)), 240)
    check("and nothing is there twice after it", agree())
    check_sent = {one["id"]: found for one in clean.observations() if (found := faults(one))}
    check("what a server has is valid", not check_sent, check_sent)
    check("tokens ended and were asked for again", len(keyed.proofs) > 1 and not keyed.refused,
          (len(keyed.proofs), keyed.refused))


def plans(keyed, strange):
    questions = {"resourceType": "Questionnaire", "id": "q-1", "url": "http://clinic.example/q/pain", "status": "active",
                 "title": "Pain", "item": [{"linkId": "1", "text": "How strong?", "type": "integer"}]}
    survey = order(9, code={"text": "Answer about pain"}, instantiatesCanonical=["http://clinic.example/q/pain|2"])
    pill = {"resourceType": "MedicationRequest", "id": "mr-1", "status": "active", "intent": "order",
            "medicationCodeableConcept": {"text": "Amlodipine"}, "subject": {"reference": "Patient/4711"},
            "dosageInstruction": [{"text": "5 mg", "timing": ORDER["occurrenceTiming"]}]}
    foreign = order(8, subject={"reference": "Patient/1"})
    over = order(7, status="completed")
    for one in [*(order(number) for number in range(1, 6)), survey, questions, pill, foreign, over]:
        keyed.resources[f"{one['resourceType']}/{one['id']}"] = one
    command = ("plan", "import", "--from", "plans", "--settings", str(settings))
    dry = measured(*command, "--dry-run", "--json")
    check("a dry run reads the server", dry.returncode == 0, dry.stderr)
    before = measured("tasks", "--json").stdout
    done = measured(*command, "--json")
    added = {one["id"] for one in map(json.loads, done.stdout.splitlines()) if one["change"] == "added"}
    expected = {*(f"sr-{number}" for number in range(1, 6)), "sr-9", "mr-1"}
    check("the plan of the person comes in, all pages, nobody else's, nothing that is over", added == expected,
          (added, done.stderr))
    again = measured(*command, "--json")
    changes = {one["change"] for one in map(json.loads, again.stdout.splitlines())}
    check("again changes nothing", changes == {"unchanged"}, again.stdout + again.stderr)
    check("undo takes it back", measured("plan", "undo").returncode == 0 and measured("tasks", "--json").stdout == before)
    refused = measured("plan", "import", "--from", "strange", "--settings", str(settings), "--mapping",
                       str(folder / "mapping.yaml"))
    check("a key that the server does not know says so", refused.returncode == 1 and "clock" in refused.stderr
          and strange.refused, refused.stderr)
    nobody = measured("plan", "import", "--from", "clean", "--settings", str(settings))
    check("without a mapping nobody is meant", nobody.returncode == 1 and "Patient/4711" in nobody.stderr, nobody.stderr)
    both = measured(*command, "plan.yaml")
    check("a file and a server are too much", both.returncode not in (0, 1), both.stderr)


main()
