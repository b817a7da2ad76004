"""A household of two, served by the daemon: what a page says of yesterday is what happened, of whom, when and in whose words."""

import contextlib
import datetime
import json
import re
import socket
import subprocess
import time

import flows
import newcomer

PLAN = """
timeZone: Etc/UTC
patients:
  - {{id: mei, name: {{given: 美華, family: 林}}, expects: {{bodyMass: 55 kg}}}}
  - {{id: robin, name: {{given: Robin}}, expects: {{bodyMass: 82 kg}}}}
tasks:
  - id: weigh
    patient: mei
    title: Weigh yourself
    schedule: [{{start: {start}, interval: {{days: 1}}, duration: allDay}}]
    linkage: {{quantity: bodyMass}}
    fallback: {{after: 1m}}
  - id: weigh
    patient: robin
    title: Weigh yourself
    schedule: [{{start: {start}, interval: {{days: 1}}, duration: allDay}}]
    linkage: {{quantity: bodyMass}}
    fallback: {{after: 1m}}
  - id: pills
    patient: mei
    title: Metformin
    schedule:
      - {{start: {start}T08:00, interval: {{days: 1}}, duration: 2h, text: Breakfast}}
      - {{start: {start}T13:00, interval: {{days: 1}}, duration: 2h, text: Lunch}}
      - {{start: {later}T19:00, interval: {{days: 1}}, duration: 2h, text: Dinner}}
  - id: pressure
    patient: mei
    title: Blood pressure
    schedule:
      - {{start: {start}, interval: {{days: 1}}, duration: allDay, targets: [{{value: 135, unit: mmHg, kind: systolic, atMost: true}}]}}
    linkages: [{{quantity: bloodPressureSystolic}}, {{quantity: bloodPressureDiastolic}}]
    thresholds: [{{kind: systolic, atLeast: 140, says: high, alert: true}}]
  - id: left
    patient: mei
    title: Bend the left knee
    schedule: [{{start: {start}, interval: {{days: 1}}, duration: allDay}}]
    activeTask: {{type: rangeOfMotion, joint: knee, side: left}}
  - id: right
    patient: mei
    title: Bend the right knee
    schedule: [{{start: {start}, interval: {{days: 1}}, duration: allDay}}]
    activeTask: {{type: rangeOfMotion, joint: knee, side: right}}
"""
# Upper pressure, far from every other number of the day.
UPPER = "187"


def today():
    return datetime.datetime.now(datetime.timezone.utc).date()


@contextlib.contextmanager
def running(box, name):
    """The daemon with the household's plan; the page's address, and a way to run commands beside it."""
    store, log = box.folder / f"{name}.sqlite", box.folder / f"{name}.log"
    plan = box.folder / f"{name}.yaml"
    # Doses that were planned after the first of a day begin on different days.
    start, later = (today() - datetime.timedelta(days=days) for days in (4, 3))
    plan.write_text(PLAN.format(start=start, later=later))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with log.open("w") as written:
        process = subprocess.Popen(
            [box.program, "run", "--store", store, "--plan", plan, "--page", f"127.0.0.1:{port}"],
            cwd=box.folder, stdout=written, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            assert time.monotonic() < end, f"the daemon does not serve its page: {log.read_text()}"
            time.sleep(0.2)

        def run(*arguments):
            done = subprocess.run(
                [box.program, *arguments, "--store", store], cwd=box.folder, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        yield f"http://127.0.0.1:{port}", run, log
    finally:
        process.terminate()
        process.wait(20)


def words(driver):
    return flows.text(driver, "main")


def card(driver, title):
    """The words of the card with this title."""
    return driver.execute_script(
        "return [...document.querySelectorAll('article.card')].find("
        "card => card.querySelector('h3')?.innerText === arguments[0])?.innerText ?? ''", title)


def measured_is_not_missed(driver, url, day):
    """What was measured above its goal was performed; a knee is of its side, also when it was typed."""
    driver.get(f"{url}/today?patient=mei&date={day}")
    said = card(driver, "Blood pressure")
    assert f"{UPPER}/90" in said, said
    assert "not recorded" not in said and "missed" not in said.lower(), said
    figures = newcomer.get(url, f"/api/v1/adherence?patient=mei&task=pressure&from={day}&to={today()}")
    counts = figures["adherence"][0] if "adherence" in figures else figures
    assert (counts["performed"], counts["reached"], counts["due"]) == (1, 0, 1), figures
    driver.get(f"{url}/insights?patient=mei&span=week")
    assert not re.search("Blood pressure.{0,40}missed", words(driver)), words(driver)
    for page in ("/measurements?patient=mei", "/report?patient=mei"):
        driver.get(url + page)
        said = words(driver)
        assert re.search("left knee", said, re.I) and re.search("right knee", said, re.I), said
        assert "92°" in said and "110°" in said, said
        assert "101°" not in said, f"{page} has the mean of two knees"
    reached = driver.execute_script(
        "return [...document.querySelectorAll('tbody tr')].find("
        "row => row.querySelector('th')?.innerText === 'Blood pressure')?.cells[2].innerText ?? ''")
    assert re.findall(r"\d+", reached) == ["0", "1"], f"of what was performed reached its goal: {reached}"


def said_later(driver, url, day):
    """A dose of which somebody says a day later that it was taken has no time of the tap."""
    def dose():
        events = newcomer.get(url, f"/api/v1/events?patient=mei&date={day}")["events"]
        return next(event for event in events if event["task"] == "pills" and "T13:00" in event["start"])

    driver.get(f"{url}/today?patient=mei&date={day}")
    assert "Breakfast" not in (flows.text(driver, "article.card:has(.slot) header")), "a dose names the card"
    assert all(name in card(driver, "Metformin") for name in ("Breakfast", "Lunch", "Dinner"))
    flows.press(driver, f"form[action='/events/{dose()['id']}/done'] button")
    flows.wait(lambda: dose()["completed"], "the dose is not recorded")
    assert "at" not in dose()["answer"], dose()["answer"]
    driver.get(f"{url}/events/{dose()['id']}?patient=mei")
    assert "time not said" in words(driver), words(driver)


def doses_are_shown(driver, url):
    """The form of several doses begins with their times and names."""
    driver.get(f"{url}/setup/task?patient=mei&task=pills")
    flows.press(driver, ".wizard .change button[value=when]")
    flows.wait(lambda: flows.text(driver, ".wizard h2") == "When exactly?", "the form does not ask for the times")
    times = driver.execute_script(
        "return [...document.querySelectorAll('.wizard input[type=time]')]"
        ".filter(field => field.offsetParent).map(field => field.value).filter(Boolean)")
    assert times == ["08:00", "13:00", "19:00"], times
    names = driver.execute_script(
        "return [...document.querySelectorAll('.wizard input')].map(field => field.value)")
    assert {"Breakfast", "Lunch", "Dinner"} <= set(names), names


def names_and_times(driver, url, log):
    """Questions and alerts say of whom and when; names have the order of their language; the log has no value."""
    driver.get(f"{url}/today")
    questions = driver.execute_script(
        "return [...document.querySelectorAll('[id^=prompt-] h3')].map(title => title.innerText)")
    for name in ("林美華", "Robin"):
        assert any(name in title for title in questions), questions
    driver.get(f"{url}/today?patient=mei")
    assert "美華 林" not in driver.page_source and "美華林" not in driver.page_source
    assert flows.text(driver, ".who").strip() == "林", flows.text(driver, ".who")

    def alert():
        driver.get(f"{url}/connect")
        return flows.text(driver, "#messages")

    flows.wait(lambda: UPPER in alert(), lambda: f"there is no alert: {alert()}")
    said = flows.text(driver, "#messages")
    assert "林美華" in said and "07:10" in said and "Systolic" in said, said
    assert "systolic:" not in said, "the alert has a name of the program"
    flows.wait(lambda: "Blood pressure" in log.read_text(), "the log knows no alert")
    assert UPPER not in log.read_text(), log.read_text()


def faults_of_the_machine(driver, url, run):
    """A box that hears nothing says why, where its devices are and where it is set up."""
    _, found = run("doctor", "--json")
    problems = [
        fault for fault in map(json.loads, (line for line in found.splitlines() if line.startswith("{")))
        if fault["verdict"] == "problem" and fault["subject"] in ("kernel", "controller", "bluetoothd")]
    for page, part in (("/devices", "#radio"), ("/setup", "#doctor")):
        driver.get(url + page)
        said = flows.text(driver, part)
        # A machine with a radio has nothing to say here.
        assert bool(problems) == bool(re.search("Bluetooth|message bus", said)), f"{page}: {said}; {found}"
    if problems:
        driver.get(url + "/devices")
        assert "step on the scale" not in words(driver).lower(), "it asks for what cannot help"


def walk(box, browser, sizes, languages, look, faults):
    """One household for each size."""
    day = today() - datetime.timedelta(days=1)
    for size in sizes:
        with running(box, f"truths-{size}") as (url, run, log), browser(sizes[size]) as driver:
            for task, *values in (
                    ("pressure", "--value", f"{UPPER}/90", "--at", f"{day}T07:10"),
                    ("left", "--value", "92 deg", "--kind", "range"),
                    ("right", "--value", "110 deg", "--kind", "range")):
                code, said = run("done", task, "--patient", "mei", "--date", str(day), *values)
                assert code == 0, said
            driver.get(f"{url}/today?lang={languages[0]}")
            for part, things in (
                    (measured_is_not_missed, (url, day)), (said_later, (url, day)), (doses_are_shown, (url,)),
                    (names_and_times, (url, log)), (faults_of_the_machine, (url, run))):
                try:
                    part(driver, *things)
                except Exception as error:  # one must not hide the others
                    faults.append(f"{part.__name__}-{size}: {type(error).__name__}: {str(error)[:600]}")
            for language in languages:
                for page in ("today", "connect", "devices"):
                    driver.get(f"{url}/{page}?lang={language}")
                    look(driver, f"truths-{page}-{size}", sizes[size], language)
            faults += [f"truths-{size}: console: {one}" for one in flows.console(driver)]
