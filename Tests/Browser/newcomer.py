"""A box for two people, set up from an empty store on the page alone, up to the first reading."""

import contextlib
import datetime
import json
import re
import subprocess
import urllib.request

import flows

PEOPLE = {"Ada": "64", "Kim": "82"}
WEIGHT = "64.2"
# The browser's, which is not the machine's; its clocks never change.
ZONE = "Africa/Abidjan"


@contextlib.contextmanager
def served(box, store):
    """Serves a store that is not there yet; its address."""
    process = subprocess.Popen(
        [box.program, "serve", "--store", store, "--page", "0"], cwd=box.folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
    try:
        url = None
        while not url:
            line = process.stdout.readline()
            assert line, "the page of an empty store is not served"
            url = re.search(r"http://\S+", line)
        yield url[0].rstrip("/")
    finally:
        process.terminate()
        process.wait(10)


def get(url, path):
    with urllib.request.urlopen(url + path, timeout=10) as answer:
        return json.load(answer)


def answer(driver, look, name, fields):
    """Fills a form screen by screen, until it is saved."""
    for screen in range(12):
        if not flows.is_there(driver, "form.wizard"):
            return
        for field, value in fields.items():
            found = driver.find_elements("css selector", f"form.wizard [name='{field}']")
            found = [element for element in found if element.get_attribute("type") != "hidden"]
            if not found:
                continue
            if field == "zone":
                flows.press(driver, "form.wizard button[type=button]:has(b)")
                assert found[0].get_attribute("value") == value, "the browser's zone is not proposed"
                continue
            if found[0].get_attribute("type") in ("radio", "checkbox"):
                for element in found:
                    if element.get_attribute("value") in value and not element.is_selected():
                        label = element.find_element("xpath", "./ancestor::label")
                        # The bar of pages covers what ends at the lower edge.
                        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", label)
                        label.click()
            elif not found[0].get_attribute("value"):
                found[0].send_keys(value)
        look(f"{name}-{screen}")
        heading = flows.text(driver, ".wizard h2")
        flows.press(driver, ".wizard .row button.main")
        flows.wait(
            lambda: flows.text(driver, ".wizard h2") != heading,
            lambda: f"{name} stays at {heading}: {flows.text(driver, '.wizard')}")
    raise AssertionError(f"{name} has no end")


def set_up(driver, url, look):
    """Everything that two people need before they step on the scale."""
    driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ZONE})
    driver.get(url + "/")
    look("new-today")
    driver.get(f"{url}/setup")
    look("new-setup")
    for given, weight in PEOPLE.items():
        flows.press(driver, "#people a[href^='/setup/person']:not([href*='patient='])")
        flows.find(driver, "form.wizard")
        answer(
            driver, look, f"new-{given.lower()}",
            {"given": given, "weight": weight, "zone": ZONE})
        flows.wait(lambda: given in flows.text(driver, "#people"), f"{given} is not there")
    people = {person["name"]: person["id"] for person in get(url, "/api/v1/patients")["patients"]}
    assert sorted(people) == sorted(PEOPLE), people
    for person in people.values():
        driver.get(f"{url}/setup/tasks?patient={person}")
        answer(driver, look, f"new-tasks-{person}", {"ready": ["weigh", "pills"], "pills.title": "Iron"})
    # A day on which nothing is over yet: today's pills are not due once their window has ended.
    tomorrow = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=1)
    events = get(url, f"/api/v1/events?date={tomorrow}")["events"]
    tasks = sorted((event["patient"], event["title"]) for event in events)
    assert len(tasks) == 4, tasks
    return people["Ada"]


def walk(box, browser, sizes, languages, check, faults):
    """Sets a box up, at every size and in every language."""
    for size in sizes:
        for language in languages:
            with served(box, f"new-{size}-{language}.sqlite") as url, browser(sizes[size]) as driver:
                driver.get(f"{url}/today?lang={language}")

                def look(name):
                    check(driver, f"{name}-{size}-{language}", sizes[size], language)

                ada = set_up(driver, url, look)
                events = get(url, f"/api/v1/events?patient={ada}")["events"]
                scale = next(event for event in events if event["task"].startswith("weigh"))
                driver.get(f"{url}/events/{scale['id']}?patient={ada}")
                look("new-event")
                field = flows.find(driver, "form[action$='/answer'] input[name='value'],"
                                           "form[action$='/done'] input[name='value']")
                field.send_keys(WEIGHT)
                form = field.find_element("xpath", "./ancestor::form")
                button = form.find_element("css selector", "button")
                driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
                button.click()

                def weights():
                    samples = get(url, f"/api/v1/samples?quantity=bodyMass&patient={ada}")
                    return [sample["value"] for sample in samples["samples"]]

                flows.wait(lambda: weights() == [float(WEIGHT)], lambda: f"the weights: {weights()}")
                driver.get(f"{url}/today?patient={ada}")
                assert WEIGHT in flows.text(driver, "main"), "the day does not show the weight"
                look("new-day")
                faults += [f"newcomer-{size}: console: {one}" for one in flows.console(driver)]
