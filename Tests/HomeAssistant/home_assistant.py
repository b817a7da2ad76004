"""home_assistant.py PROGRAM HASS…: what a headless Home Assistant, begun by HASS, makes of the demo's week."""

import base64
import datetime
import hashlib
import hmac
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

import paho.mqtt.client as mqtt

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import check, failures, free_port

PROGRAM, *HASS = sys.argv[1:]
VERSION = subprocess.run([*HASS, "--version"], capture_output=True, text=True, check=True).stdout.strip()
folder = pathlib.Path(tempfile.mkdtemp(prefix="home-assistant-"))
environment = {**os.environ, "LC_ALL": "C"}
processes = {}


def wait(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.2)
    check(what, False, f"not within {seconds} s")
    return False


def start(name, *arguments, **options):
    log = open(folder / f"{name}.log", "ab")
    processes[name] = subprocess.Popen(arguments, stdout=log, stderr=log, env=environment, **options)


def stop(name, number=signal.SIGTERM):
    process = processes.pop(name)
    process.send_signal(number)
    process.wait(30)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

# The broker

port = free_port()
(folder / "mosquitto.conf").write_text(
    f"listener {port} 127.0.0.1\nallow_anonymous true\nuser {'root' if os.getuid() == 0 else 'mosquitto'}\n"
    f"persistence true\npersistence_location {folder}/\nautosave_on_changes true\nautosave_interval 1\n")


def start_broker():
    start("mosquitto", "/usr/sbin/mosquitto", "-c", str(folder / "mosquitto.conf"))


# What is seen on the broker: every message, in order

seen = []
retained = {}


def on_message(_client, _data, message):
    payload = message.payload.decode("utf-8", "replace")
    seen.append((message.topic, payload, message.retain))
    if message.topic.startswith(("measured/", "homeassistant/device/")):
        retained[message.topic] = payload


watcher = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="watcher")
watcher.on_message = on_message
watcher.on_connect = lambda client, *_: client.subscribe("#", qos=1)


def state(entity):
    domain, name = entity.split(".", 1)
    found = [payload for topic, payload, _ in seen if topic == f"hast/{domain}/{name}/state"]
    return found[-1] if found else None


def attribute(entity, key):
    domain, name = entity.split(".", 1)
    found = [payload for topic, payload, _ in seen if topic == f"hast/{domain}/{name}/{key}"]
    return json.loads(found[-1]) if found else None


# Home Assistant

home = folder / "home"
home_port = free_port()


def token(user):
    """A long-lived token of one of the users, as Home Assistant signs them (RFC 7519)."""
    def encoded(content):
        return base64.urlsafe_b64encode(content).rstrip(b"=")

    now = int(time.time()) - 60
    text = b".".join(encoded(json.dumps(part).encode()) for part in (
        {"alg": "HS256", "typ": "JWT"}, {"iss": user, "iat": now, "exp": now + 86_400}))
    key = ("key of " + user * 8).encode()
    return (text + b"." + encoded(hmac.digest(key, text, hashlib.sha256))).decode()


def prepare_users(storage):
    """An administrator and a user, each with a long-lived token."""
    now = "2026-01-01T00:00:00+00:00"
    groups = {"admin": "system-admin", "user": "system-users"}
    (storage / "auth").write_text(json.dumps({"version": 1, "minor_version": 1, "key": "auth", "data": {
        "users": [{"id": name, "group_ids": [group], "is_owner": name == "admin", "is_active": True, "name": name,
                   "system_generated": False, "local_only": False} for name, group in groups.items()],
        "groups": [{"id": group, "name": group} for group in [*groups.values(), "system-read-only"]],
        "credentials": [],
        "refresh_tokens": [{
            "id": name, "user_id": name, "client_id": None, "client_name": name, "client_icon": None,
            "token_type": "long_lived_access_token", "created_at": now, "access_token_expiration": 86_400.0,
            "token": name * 16, "jwt_key": "key of " + name * 8, "last_used_at": None, "last_used_ip": None,
            "expire_at": None, "credential_id": None, "version": VERSION} for name in groups]}}))


def prepare_home():
    frontend = folder / "stub" / "hass_frontend"
    for name in ("static", "frontend_latest"):
        (frontend / name).mkdir(parents=True)
    for name in ("index.html", "authorize.html", "onboarding.html"):
        (frontend / name).write_text("")
    (frontend / "__init__.py").write_text(
        "import pathlib\ndef where():\n    return pathlib.Path(__file__).parent\n")
    (home / "configuration.yaml").write_text(
        f"http: {{server_host: 127.0.0.1, server_port: {home_port}}}\n"
        "homeassistant: {unit_system: metric, time_zone: UTC}\n"
        "recorder: {commit_interval: 1}\n"
        "notify: [{platform: telephone, name: mobile_app_telephone}]\n"
        "mqtt_statestream: {base_topic: hast, publish_attributes: true}\n"
        "logger: {default: warning}\n")
    storage = home / ".storage"
    storage.mkdir()
    now = "2026-01-01T00:00:00+00:00"
    (storage / "core.config_entries").write_text(json.dumps({
        "version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [{
            "created_at": now, "modified_at": now, "data": {"broker": "127.0.0.1", "port": port},
            "discovery_keys": {}, "disabled_by": None, "domain": "mqtt", "entry_id": "1", "minor_version": 2,
            "options": {}, "pref_disable_new_entities": False, "pref_disable_polling": False,
            "source": "user", "subentries": [], "title": "broker", "unique_id": None, "version": 1}]}}))
    onboarding = {"version": 4, "minor_version": 1, "key": "onboarding",
                  "data": {"done": ["user", "core_config", "analytics", "integration"]}}
    (storage / "onboarding").write_text(json.dumps(onboarding))
    prepare_users(storage)
    # A telephone's service, which Home Assistant calls as it calls that of its app.
    telephone = home / "custom_components" / "telephone"
    telephone.mkdir(parents=True)
    (telephone / "__init__.py").write_text("")
    (telephone / "manifest.json").write_text(json.dumps({
        "domain": "telephone", "name": "Telephone", "version": "1.0.0", "codeowners": [], "dependencies": [],
        "documentation": "https://example.org", "requirements": [], "iot_class": "local_push"}))
    (telephone / "notify.py").write_text(
        "import json\nfrom homeassistant.components.notify import BaseNotificationService\n"
        "def get_service(hass, config, discovery_info=None):\n    return Telephone()\n"
        "class Telephone(BaseNotificationService):\n"
        "    def send_message(self, message='', **kwargs):\n"
        f"        with open({str(folder / 'telephone.jsonl')!r}, 'a') as file:\n"
        "            file.write(json.dumps({'message': message, **kwargs}) + '\\n')\n")


def start_home():
    count = sum(1 for entry in seen if entry[:2] == ("homeassistant/status", "online"))
    environment["PYTHONPATH"] = str(folder / "stub")
    start("home", *HASS, "-c", str(home), "--skip-pip")
    environment.pop("PYTHONPATH")
    return wait("Home Assistant starts", lambda: sum(
        1 for entry in seen if entry[:2] == ("homeassistant/status", "online")) > count, 120)


# The program

store = folder / "demo.sqlite"


def measured(*arguments):
    run = subprocess.run([PROGRAM, *arguments, "--store", str(store)], capture_output=True, text=True,
                         env=environment, timeout=180)
    if run.returncode != 0:
        check("measured " + " ".join(arguments), False, run.stderr)
    return run.stdout


def start_daemon():
    start("daemon", PROGRAM, "run", "--settings", str(folder / "settings.yaml"))


def weigh(kilograms):
    """A weight that another program exported just now."""
    now = datetime.datetime.now(datetime.timezone.utc)
    table = folder / "weights.csv"
    table.write_text(f"date,weight\n{now:%Y-%m-%dT%H:%M:%SZ},{kilograms}\n")
    measured("import", str(table), "--patient", "alex", "--columns", "date=1", "--columns", "weight=2:kg")


def slugify(name):
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def entities():
    """Every enabled entity of the discovery, with its platform and component."""
    found = {}
    for topic, payload in retained.items():
        if not topic.startswith("homeassistant/device/measured_home") or not payload:
            continue
        device = json.loads(payload)
        for key, component in device["components"].items():
            if component.get("enabled_by_default", True) and "unique_id" in component:
                name = slugify(f"{device['device']['name']} {component['name']}")
                found[f"{component['platform']}.{name}"] = (key, component)
    return found


def warnings():
    """What Home Assistant says of our messages; its client says that the broker was killed."""
    lines = (folder / "home.log").read_text(errors="replace").splitlines()
    places = ("components.mqtt", "components.recorder", "components.sensor", "components.event", "components.number",
              "components.button", "helpers.entity")
    # A device that is removed it removes from the broker itself, and then hears of that; and a test of the
    # right to describe devices takes back one that it does not know.
    echoes = [f"No device components to cleanup for {device}"
              for device in ("measured_home_person_alex", "measured_annex_person_alex", "measured_past_test",
                             "measured_attic_test")]
    return [line for line in lines if (" WARNING " in line or " ERROR " in line)
            and any(place in line for place in places)
            and "components.mqtt.client]" not in line and not any(echo in line for echo in echoes)]


# The past

past = folder / "past.sqlite"
YEARS = 5


def run_past(*arguments, store=past):
    return subprocess.run([PROGRAM, *arguments, "--store", str(store)], capture_output=True, text=True,
                          env=environment, timeout=600)


def backfill_of_past(*arguments):
    return ["outlet", "backfill", "past", "--settings", str(folder / "past.yaml"), *arguments]


def backfill(*arguments):
    return run_past(*backfill_of_past(*arguments))


def measured_backfill(*arguments):
    """A backfill, with its seconds of processor and its greatest memory in MB."""
    command = [PROGRAM, *backfill_of_past(*arguments), "--store", str(past)]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        pid, memory, done = subprocess.Popen(command, stdout=output, stderr=errors, env=environment).pid, 0, 0
        while not done:
            # What wait4 says of memory includes this driver's, before the program is loaded.
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            memory = max([memory, *map(int, re.findall(r"VmHWM:\s*(\d+)", status))])
            time.sleep(0.05)
            done, status, used = os.wait4(pid, os.WNOHANG)
        output.seek(0)
        errors.seek(0)
        run = subprocess.CompletedProcess(
            command, os.waitstatus_to_exitcode(status), output.read(), errors.read())
    return run, used.ru_utime + used.ru_stime, memory / 1024


def past_settings(user, server=None):
    server = server or f"http://127.0.0.1:{home_port}"
    secret = folder / f"token-{user}"
    secret.write_text(token(user) if user in ("admin", "user") else "not a token\n")
    secret.chmod(0o600)
    (folder / "past.yaml").write_text(
        f"outlets:\n  past: {{kind: mqtt, address: 'mqtt://127.0.0.1:{port}', people: all, "
        f"server: '{server}', tokenFile: {secret}}}\n")


def five_years():
    """What sensors could have measured: rows of time, quantity and value, by time."""
    last = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
    rows = []
    for day in range(YEARS * 365 + 1):
        start = last - datetime.timedelta(days=YEARS * 365 + 1 - day)
        at = lambda minutes: start + datetime.timedelta(minutes=minutes)
        rows.append((at(7), "bodyMass", round(80 + (day * 37 % 400) / 100, 2)))
        if day % 5 == 0:
            rows.append((at(9), "bodyMass", round(80.1 + (day * 31 % 400) / 100, 2)))
        for minutes in (12, 780):
            rows.append((at(minutes), "bloodPressureSystolic", 110 + (day * 7 + minutes) % 50))
            rows.append((at(minutes), "bloodPressureDiastolic", 70 + (day * 5 + minutes) % 30))
            rows.append((at(minutes), "pulseRate", 50 + (day * 3 + minutes) % 60))
        for hour in range(0, 16):
            rows.append((at(hour * 60 + 15), "stepCount", (day * 13 + hour * 101) % 1_500))
            rows.append((at(hour * 60 + 45), "stepCount", (day * 11 + hour * 103) % 1_500))
    return sorted(rows)


UNITS = {"bodyMass": "kg", "stepCount": "1", "pulseRate": "/min"}


def oracle(rows):
    """The hours of each quantity, computed here."""
    found = {}
    for at, quantity, value in rows:
        found.setdefault(quantity, {}).setdefault(int(at.timestamp()) // 3_600, []).append(value)
    for quantity, hours in found.items():
        total = 0
        for hour, values in sorted(hours.items()):
            if quantity == "stepCount":
                total += sum(values)
                hours[hour] = (sum(values), total)
            else:
                hours[hour] = (min(values), max(values), round(sum(values) / len(values), 9))
    return found


def statistics():
    """What Home Assistant's own database has, by the end of each name."""
    database = sqlite3.connect(f"file:{home / 'home-assistant_v2.db'}?mode=ro", uri=True)
    found = {}
    for name, start, mean, least, greatest, state, total in database.execute(
            "SELECT name, start_ts, mean, min, max, state, sum FROM statistics JOIN statistics_meta "
            "ON statistics_meta.id = metadata_id WHERE source = 'measured'"):
        hours = found.setdefault(name, {})
        hour = int(start) // 3_600
        if hour in hours:
            check("an hour is there once", False, (name, hour))
        hours[hour] = (state, total) if mean is None else (least, greatest, round(mean, 9))
    database.close()
    return found


NAMES = {"bodyMass": "Weight", "stepCount": "Steps", "pulseRate": "Pulse rate",
         "bloodPressureSystolic": "Systolic pressure", "bloodPressureDiastolic": "Diastolic pressure"}


def check_stored():
    """An outlet that a person sets up, stops and takes away while the daemon runs."""
    run = subprocess.run([PROGRAM, "outlet", "add", "annex", "mqtt", f"address=mqtt://127.0.0.1:{port}", "people=alex",
                          "--settings", str(folder / "settings.yaml"), "--store", str(store)],
                         capture_output=True, text=True, env=environment, timeout=60)
    check("an outlet of the store is set up", run.returncode == 0, run.stderr)
    wait("it is there, too", lambda: retained.get("measured/annex/status") == "online")
    wait("its person is described", lambda: retained.get("homeassistant/device/measured_annex_person_alex/config"))

    def weight(box):
        return json.loads(retained.get(f"measured/{box}/alex/bodyMass") or "{}").get("value")

    weigh(70.85)
    wait("both have the weight", lambda: weight("annex") == weight("home") == 70.85)
    home_name = json.loads(retained["homeassistant/device/measured_home_person_alex/config"])["device"]["name"]
    name = json.loads(retained["homeassistant/device/measured_annex_person_alex/config"])["device"]["name"]
    entity = f"sensor.{slugify(name)}_weight" + ("_2" if name == home_name else "")
    wait("Home Assistant has its weight", lambda: state(entity) == "70.85")
    watcher.publish("measured/annex/alex/task/stretch/set", "notDone", qos=1)
    wait("an answer by it holds for both", lambda: all(
        json.loads(retained[f"measured/{box}/alex/task/stretch"])["state"] == "notDone" for box in ("annex", "home")))
    watcher.publish("measured/home/alex/task/stretch/set", "done", qos=1)
    wait("and one by the other", lambda: all(
        json.loads(retained[f"measured/{box}/alex/task/stretch"])["state"] == "done" for box in ("annex", "home")))

    measured("outlet", "pause", "annex")
    weigh(70.95)
    wait("the other one has the weight", lambda: weight("home") == 70.95)
    time.sleep(3)
    check("a stopped one has it not", weight("annex") == 70.85, weight("annex"))
    measured("outlet", "resume", "annex")
    wait("it goes on", lambda: weight("annex") == 70.95)

    measured("outlet", "remove", "annex")
    wait("nothing of it is left on the broker", lambda: not [
        topic for topic, payload in retained.items() if "annex" in topic and payload
        and not topic.endswith("/event") and not topic.endswith("/set") and not topic.endswith("/status")])
    wait("nor in the list", lambda: "annex" not in measured("outlet", "list", "--json"))
    check("the other one stays", retained["measured/home/status"] == "online" and weight("home") == 70.95)
    weigh(70.55)
    wait("and goes on", lambda: weight("home") == 70.55)


def check_stored_past(rows):
    """The past by an outlet whose token the store keeps."""
    # What was erased does not come back to the other store.
    attic = folder / "attic.sqlite"
    (folder / "past-plan.yaml").write_text(
        "timeZone: UTC\npatients: [{id: petra, name: {given: Petra, family: Past}}]\ntasks: []\n")
    run_past("plan", "import", str(folder / "past-plan.yaml"), store=attic)
    made = run_past("import", str(folder / "past.csv"), "--patient", "petra", store=attic)
    check("five years are imported once more", made.returncode == 0, made.stderr)
    added = run_past("outlet", "add", "attic", "mqtt", f"address=mqtt://127.0.0.1:{port}", "people=petra",
                     f"server=http://127.0.0.1:{home_port}", "--token", str(folder / "token-admin"), store=attic)
    check("an outlet with a token is set up", added.returncode == 0, added.stderr)
    tried = run_past("outlet", "test", "attic", store=attic)
    check("and tried", tried.returncode == 0, tried.stdout + tried.stderr)
    began = time.monotonic()
    run = run_past("outlet", "backfill", "attic", store=attic)
    print(f"     by an outlet of the store in {time.monotonic() - began:.1f} s: {run.stdout.strip()}")
    check("it sends the past", run.returncode == 0, run.stderr)
    check_statistics("its statistics equal ours", rows, "Petra Past")


def check_statistics(name, rows, person="Paula Past"):
    seen = statistics()
    expected = oracle(rows)
    by_quantity = {quantity: next((hours for title, hours in seen.items()
                                   if title.startswith(person) and title.lower().endswith(NAMES[quantity].lower())), {})
                   for quantity in expected}
    differences = {quantity: sorted(set(hours.items()) ^ set(by_quantity[quantity].items()))[:4]
                   for quantity, hours in expected.items() if hours != by_quantity[quantity]}
    check(name, not differences and len(seen) == len(expected), (differences, sorted(seen)))


def check_past():
    (folder / "past-plan.yaml").write_text(
        "timeZone: UTC\npatients: [{id: paula, name: {given: Paula, family: Past}}]\ntasks: []\n")
    made = run_past("plan", "import", str(folder / "past-plan.yaml"))
    check("the plan of the past", made.returncode == 0, made.stderr)
    rows = five_years()
    table = folder / "past.csv"
    with open(table, "w") as file:
        file.write("time,quantity,value,unit,device\n")
        for at, quantity, value in rows:
            file.write(f"{at:%Y-%m-%dT%H:%M:%SZ},{quantity},{value:g},{UNITS.get(quantity, 'mm[Hg]')},scale\n")
    made = run_past("import", str(table), "--patient", "paula")
    check("five years are imported", made.returncode == 0, made.stderr)

    for user, server, words in (
            ("nobody", None, "does not let this machine in"), ("user", None, "does not let this machine in"),
            ("admin", "http://nothing.internal:8123", "nothing.internal"),
            ("admin", f"http://127.0.0.1:{free_port()}", "does not answer"),
            ("admin", f"http://127.0.0.1:{port}", "answers otherwise")):
        past_settings(user, server)
        run = backfill()
        check(f"backfill says it: {user}, {server}", run.returncode == 1 and words in run.stderr + run.stdout,
              (run.returncode, run.stdout, run.stderr))
    past_settings("user")
    run = subprocess.run([PROGRAM, "outlet", "test", "past", "--settings", str(folder / "past.yaml")],
                         capture_output=True, text=True, env=environment, timeout=60)
    check("outlet test says who is no administrator", run.returncode == 1 and "administrator" in run.stdout, run)
    past_settings("admin")
    run = subprocess.run([PROGRAM, "outlet", "test", "past", "--settings", str(folder / "past.yaml")],
                         capture_output=True, text=True, env=environment, timeout=60)
    check("outlet test of broker and token", run.returncode == 0, run)

    # Killed in between, it goes on.
    with open(folder / "killed.log", "ab") as log:
        killed = subprocess.Popen(
            [PROGRAM, *backfill_of_past(), "--store", str(past)],
            stdout=log, stderr=log, env=environment)
        # In the midst of it: Home Assistant has some and not all.
        wait("some hours are there", lambda: statistics() != {})
        killed.kill()
        killed.wait()
    time.sleep(1)
    before = sum(map(len, statistics().values()))
    began = time.monotonic()
    run, own, memory = measured_backfill()
    took = time.monotonic() - began
    count = sum(map(len, oracle(rows).values()))
    print(f"     {len(rows)} values, {count} hours, {before} of them before the kill; the rest in {took:.1f} s, "
          f"{own:.1f} s of them this program's own work: {run.stdout.strip()}")
    # The rest is Home Assistant's, as fast as the machine lets it.
    check("five years take this program half a minute at most", run.returncode == 0 and own < 30, (own, run.stderr))
    check_statistics("statistics equal ours hour by hour", rows)
    began = time.monotonic()
    run = backfill()
    check("again, nothing is sent", "Hours sent: 0;" in run.stdout, run.stdout)
    print(f"     again in {time.monotonic() - began:.1f} s")
    month = measured_backfill("--from", str((rows[-1][0] - datetime.timedelta(days=30)).date()))[2]
    print(f"     memory of five years {memory:.0f} MB, of a month {month:.0f} MB")
    check("five years need no more memory than a month", memory < month + 10, (memory, month))

    # A correction, a deletion, a move.
    listed = [json.loads(line) for line in run_past(
        "samples", "--json", "--quantity", "bodyMass", "--patient", "paula").stdout.splitlines()]
    listed.sort(key=lambda sample: sample["time"])
    weights = [index for index, row in enumerate(rows) if row[1] == "bodyMass"]
    corrected, deleted = 100, 200
    run = run_past("samples", "correct", str(listed[corrected]["id"]), "--value", "66.6", "--unit", "kg")
    check("a weight is corrected", run.returncode == 0, run.stderr)
    run = run_past("samples", "delete", str(listed[deleted]["id"]))
    check("a weight is deleted", run.returncode == 0, run.stderr)
    changed = list(rows)
    changed[weights[corrected]] = (*rows[weights[corrected]][:2], 66.6)
    del changed[weights[deleted]]
    began = time.monotonic()
    run = backfill()
    print(f"     after a correction and a deletion in {time.monotonic() - began:.1f} s: {run.stdout.strip()}")
    check_statistics("a correction and a deletion follow", changed)

    check("erased", run_past("store", "erase", "--patient", "paula", "--yes").returncode == 0)
    run = backfill()
    check("an erasure leaves no statistic", statistics() == {}, (run.stdout, run.stderr))
    check_stored_past(rows)


def check_messages():
    secret = folder / "token-message"
    secret.write_text(token("user"))
    for service, words, code in (("mobile_app_telephone", "has taken the message", 0),
                                 ("mobile_app_nobody", "does not take the message", 1)):
        channel = f"homeAssistant:http://127.0.0.1:{home_port}/{service}"
        measured("message", "add", "alex", channel, "--secret", str(secret))
        run = subprocess.run([PROGRAM, "message", "test", channel, "--store", str(store)], capture_output=True,
                             text=True, env=environment, timeout=60)
        check(f"a message to {service} says: {words}", run.returncode == code and words in run.stdout, run)
        measured("message", "remove", "alex", channel)
    taken = [json.loads(line) for line in (folder / "telephone.jsonl").read_text().splitlines()]
    check("the telephone has it, under its name", len(taken) == 1 and taken[0]["title"] == "measured: a test"
          and len(taken[0]["data"]["tag"]) == 32 and taken[0]["data"]["visibility"] == "private", taken)


def say_state(entity, state):
    """A state that Home Assistant would have of somebody's telephone."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{home_port}/api/states/{entity}", data=json.dumps({"state": state}).encode(),
        headers={"Authorization": f"Bearer {token('admin')}", "Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=30).close()


def presences():
    database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    rows = database.execute("SELECT is_home FROM presence WHERE patient = 'alex' ORDER BY number").fetchall()
    database.close()
    return [row[0] for row in rows]


def check_presence():
    say_state("person.alex", "home")
    time.sleep(3)
    check("nothing is noted unless the plan allows it", presences() == [], presences())
    (folder / "presence.yaml").write_text(
        "timeZone: UTC\npatients: [{id: alex, name: {given: Alex, family: Example}, presence: true}]\ntasks: []\n")
    measured("plan", "import", str(folder / "presence.yaml"))
    for state in ("not_home", "unavailable", "home", "Work"):
        say_state("person.alex", state)
        time.sleep(2)
    check("who is at home is noted", wait("presence", lambda: presences() == [0, 1, 0], 20), presences())
    stop("daemon")
    start_daemon()
    wait("it is there", lambda: retained.get("measured/home/status") == "online")
    time.sleep(3)
    check("a retained state is no new statement", presences() == [0, 1, 0], presences())


def check_broker():
    """What a broker refuses says so."""
    guarded = free_port()
    passwords = folder / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(passwords), "box", "word"], check=True, capture_output=True)
    passwords.chmod(0o644)
    (folder / "acl").write_text("user box\ntopic readwrite measured/box/#\ntopic read homeassistant/status\n")
    (folder / "guarded.conf").write_text(
        f"listener {guarded} 127.0.0.1\nallow_anonymous false\nuser {'root' if os.getuid() == 0 else 'mosquitto'}\n"
        f"password_file {passwords}\nacl_file {folder}/acl\n")
    start("guarded", "/usr/sbin/mosquitto", "-c", str(folder / "guarded.conf"))
    time.sleep(0.5)
    (folder / "word").write_text("word\n")
    (folder / "word").chmod(0o600)
    (folder / "wrong").write_text("wrong\n")
    (folder / "wrong").chmod(0o600)
    for address, secret, words in (
            (f"mqtt://127.0.0.1:{guarded}", "wrong", "does not let this machine in"),
            ("mqtt://nothing.internal", "word", "nothing.internal"),
            (f"mqtt://127.0.0.1:{free_port()}", "word", "does not answer"),
            (f"mqtt://127.0.0.1:{guarded}", "word", "does not take the message")):
        (folder / "guarded.yaml").write_text(
            f"outlets:\n  box: {{kind: mqtt, address: '{address}', people: all, user: box, "
            f"secretFile: {folder / secret}}}\n")
        run = subprocess.run([PROGRAM, "outlet", "test", "box", "--settings", str(folder / "guarded.yaml")],
                             capture_output=True, text=True, env=environment, timeout=60)
        check(f"outlet test says: {words}", run.returncode == 1 and words in run.stdout, (run.stdout, run.stderr))
    stop("guarded")


def main():
    start_broker()
    time.sleep(0.5)
    watcher.connect("127.0.0.1", port)
    watcher.loop_start()
    measured("demo", "--no-serve")
    (folder / "settings.yaml").write_text(
        f"store: {store}\npage: off\noutlets:\n  home: {{kind: mqtt, address: 'mqtt://127.0.0.1:{port}', people: all, "
        "presence: {alex: hast/person/alex/state}}\n")
    home.mkdir()
    prepare_home()
    print(f"Home Assistant {VERSION}, {folder}")
    if not start_home():
        return
    start_daemon()
    wait("the box is there", lambda: retained.get("measured/home/status") == "online")
    wait("a person is described", lambda: "homeassistant/device/measured_home_person_alex/config" in retained)
    time.sleep(8)

    known = entities()
    check("there are many entities", len(known) > 20, len(known))
    missing = []
    for entity, (key, component) in sorted(known.items()):
        value = state(entity)
        # What holds for a moment has none now; buttons, numbers and events have none before the first.
        isEmpty = component.get("expire_after") or component["platform"] in ("button", "number", "event")
        if value is None or (value in ("unknown", "unavailable") and not isEmpty):
            missing.append(f"{entity} = {value}")
    check("every entity has its state", not missing, missing)
    weight = json.loads(retained["measured/home/alex/bodyMass"])
    check("the weight is ours", float(state("sensor.alex_example_weight") or 0) == weight["value"],
          (state("sensor.alex_example_weight"), weight))
    check("its time is an attribute", attribute("sensor.alex_example_weight", "time") == weight["time"])
    check("its class is weight", attribute("sensor.alex_example_weight", "device_class") == "weight")

    def changes(entity):
        domain, name = entity.split(".", 1)
        return [payload for topic, payload, _ in seen if topic == f"hast/{domain}/{name}/last_changed"]

    # Two equal weights are two
    def told():
        return [payload for topic, payload, _ in seen if topic == "hast/sensor/alex_example_weight/time"]

    before = len(set(told()))
    weigh(70.55)
    wait("the first weight arrives", lambda: state("sensor.alex_example_weight") == "70.55")
    time.sleep(1.5)
    weigh(70.55)
    wait("two equal weights are two", lambda: len(set(told())) == before + 2)

    # An answer
    pressed = "measured/home/alex/task/stretch/set"
    watcher.publish(pressed, "done", qos=1)
    wait("a task answered there is done here", lambda: json.loads(
        retained.get("measured/home/alex/task/stretch", "{}")).get("state") == "done")
    events = [json.loads(line) for line in measured("today", "--json").splitlines()]
    stretch = [event for event in events if event.get("task") == "stretch"]
    check("the store knows", [event.get("completed") for event in stretch] == [True], stretch)
    wait("an event tells it", lambda: any(
        topic == "measured/home/alex/event" and '"completed"' in payload for topic, payload, _ in seen))
    wait("Home Assistant has the event", lambda: any(
        topic == "hast/event/alex_example_events/event_type" and payload == '"completed"' for topic, payload, _ in seen))
    watcher.publish(pressed, "notDone", qos=1, retain=True)
    time.sleep(3)
    # It was live for who listened; what the broker hands out again at the restarts is dropped.
    check("a live answer with the flag is one", json.loads(
        retained["measured/home/alex/task/stretch"])["state"] == "notDone")
    watcher.publish(pressed, "done", qos=1)
    wait("the last answer holds", lambda: json.loads(
        retained["measured/home/alex/task/stretch"])["state"] == "done")

    # Restarts show nothing old as new
    count = len(told())
    stop("daemon")
    check("a clean stop says so", wait("offline", lambda: retained["measured/home/status"] == "offline"))
    wait("unavailable", lambda: state("sensor.alex_example_weight") == "unavailable")
    start_daemon()
    wait("it is back", lambda: state("sensor.alex_example_weight") == "70.55")
    stop("daemon", signal.SIGKILL)
    wait("the will says so", lambda: retained["measured/home/status"] == "offline")
    start_daemon()
    wait("it is back again", lambda: retained["measured/home/status"] == "online")
    messages = [payload for topic, payload, isOld in seen
                if topic == "measured/home/alex/bodyMass" and not isOld]
    start_of_restarts = len(messages)
    stop("mosquitto", signal.SIGKILL)
    start_broker()
    wait("the broker is back", lambda: retained["measured/home/status"] == "online" and watcher.is_connected())
    time.sleep(20)
    messages = [payload for topic, payload, isOld in seen
                if topic == "measured/home/alex/bodyMass" and not isOld]
    check("no restart answers again", json.loads(
        retained["measured/home/alex/task/stretch"])["state"] == "done")
    check("no restart sends a weight again", len(messages) == start_of_restarts, messages[start_of_restarts:])
    stop("home")
    start_home()
    wait("Home Assistant has it after its own restart", lambda: state("sensor.alex_example_weight") == "70.55")
    check("with its own time", len(set(told())) == before + 2, set(told()))

    check_stored()
    check_messages()
    check_presence()

    # An erasure leaves no topic
    measured("store", "erase", "--patient", "alex", "--yes")
    wait("an erasure leaves no topic", lambda: not [
        topic for topic, payload in retained.items() if "alex" in topic + payload and payload
        and not topic.endswith("/event") and not topic.endswith("/set")], 30)

    check_broker()
    check_past()

    lines = warnings()
    check("no warning in its log", not lines, "\n".join(lines[:20]))
    stop("daemon")


try:
    main()
finally:
    for name in list(processes):
        stop(name, signal.SIGKILL)
    watcher.loop_stop()
print(f"{len(failures)} failed: {failures}" if failures else "all is well")
sys.exit(1 if failures else 0)
