"""What people do on the page, in a real browser."""

import contextlib
import json
import os
import socket
import struct
import subprocess
import threading
import time
import urllib.request
import zlib

from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import newcomer

DAY = "2026-11-08"
# Seconds; a busy machine is slow, and what is fast is measured by itself.
PATIENCE = 10
# Milliseconds from the end of another program's command to the change on the open page, on a host with
# nothing else to do: the limit grows with the processes that wait for each processor.
LIVE = 200


def run(box, browser, sizes, only, faults):
    """Walks every flow, at every size."""
    for size in sizes:
        with browser(sizes[size]) as driver:
            for flow in FLOWS:
                if only and flow.__name__ != only:
                    continue
                name = f"{flow.__name__}-{size}"
                driver.delete_all_cookies()
                try:
                    flow(box, driver, name)
                except Exception as error:  # a flow that stumbles must not hide the others
                    faults.append(f"{name}: {type(error).__name__}: {str(error)[:400]}")
                complaints = console(driver)
                if flow not in (reconnects, offline):
                    faults += [f"{name}: console: {complaint}" for complaint in complaints]


# What a flow does and looks at.


def console(driver):
    """The complaints of the console. Chromium also notes each Clear-Site-Data that it obeyed, and a form with two
    secrets, as that of a broker and a server has them: no complaints."""
    notes = ("Cleared data types", "Multiple forms should be contained")
    messages = [entry["message"] for entry in driver.get_log("browser")]
    return [message for message in messages if not any(note in message for note in notes)]


def event(box, task):
    events = [e for e in box.get(f"/api/v1/events?date={DAY}")["events"] if e["task"] == task]
    return events[0]


def weights(box):
    return box.get("/api/v1/samples?quantity=bodyMass&patient=alex")["samples"]


def unassigned(box):
    return box.get("/api/v1/samples?owner=unassigned")["samples"]


def send(box, method, path, body=None):
    request = urllib.request.Request(
        box.url + path, method=method, headers={"Content-Type": "application/json"},
        data=None if body is None else json.dumps(body).encode())
    return urllib.request.urlopen(request, timeout=10).read()


def wait(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(what() if callable(what) else what)


def find(driver, selector):
    wait(lambda: driver.find_elements(By.CSS_SELECTOR, selector), f"there is no {selector}")
    return driver.find_element(By.CSS_SELECTOR, selector)


def press(driver, selector):
    """Presses a button. A page that loads itself again may replace it between the look and the press."""
    def is_pressed():
        try:
            element = find(driver, selector)
            driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            element.click()
        except StaleElementReferenceException:
            return False
        return True

    wait(is_pressed, f"{selector} cannot be pressed")


def text(driver, selector):
    """What an element says, also while the page replaces it."""
    return driver.execute_script(
        "return document.querySelector(arguments[0])?.innerText ?? ''", selector)


def unfold(driver, form):
    """Opens what a form is folded in."""
    driver.execute_script(
        "arguments[0].closest('details').open = true", find(driver, form))


def choose(driver, selector, value):
    """Chooses of a list that opens, as a person does."""
    driver.execute_script(
        "arguments[0].value = arguments[1];"
        "for (const kind of ['input', 'change']) arguments[0].dispatchEvent(new Event(kind, {bubbles: true}))",
        find(driver, selector), value)


def is_there(driver, selector):
    return bool(driver.find_elements(By.CSS_SELECTOR, selector))


def stay(driver):
    """Marks the page, so that a reload is noticed."""
    driver.execute_script("window.untouched = true")


def expect_stayed(driver):
    assert driver.execute_script("return window.untouched"), "the page was loaded again"


def requests(driver):
    """How often the page has fetched itself."""
    return driver.execute_script(
        "return performance.getEntriesByType('resource')"
        ".filter(entry => entry.initiatorType === 'fetch').length")


def settle(driver):
    """Waits until the page is connected and has asked for itself for the first time."""
    wait(lambda: requests(driver) > 0, "the page does not listen")
    time.sleep(1.1)


# The flows.


def take_a_dose(box, driver, name):
    """A dose is taken with one tap, and taken back from the notice; the page stays."""
    dose = event(box, "stretch")
    driver.get(box.url + "/today")
    stay(driver)
    button = f"form[action='/events/{dose['id']}/done'] button.check"
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", find(driver, button))
    card = driver.execute_script(
        "return document.querySelector(arguments[0]).closest('article').id", button)
    top = lambda: driver.execute_script(
        "return document.getElementById(arguments[0])?.getBoundingClientRect().top ?? 0", card)
    before = top()
    find(driver, button).click()
    wait(lambda: event(box, "stretch")["completed"], "the tap did not reach the store")
    wait(lambda: "Stretch" in text(driver, "#notice"), "the notice does not say it")
    assert abs(top() - before) < 2, f"the card under the finger moved from {before} to {top()}"
    press(driver, "#notice form button")
    wait(lambda: not event(box, "stretch")["completed"], "undo did not reach the store")
    press(driver, f"form[action='/events/{dose['id']}/done'] button.check")
    wait(lambda: event(box, "stretch")["completed"], "the second tap did not reach the store")
    said = event(box, "stretch")["answer"]
    press(driver, f"article form[action='/events/{dose['id']}/undo'] button.check")
    wait(lambda: not event(box, "stretch")["completed"], "the check did not take it back")
    # A stray tap deletes no answer: it comes back with its own time.
    press(driver, f"#notice form[action='/events/{dose['id']}/put-back'] button")
    wait(lambda: event(box, "stretch")["completed"], "the answer did not come back")
    assert event(box, "stretch")["answer"] == said, "the answer has another time"
    expect_stayed(driver)
    send(box, "DELETE", f"/api/v1/events/{dose['id']}/outcome")


def answer_check_in(box, driver, name):
    """A survey is answered; what is out of its limits is said at the field."""
    survey = event(box, "check-in")
    form = f"form[action='/events/{survey['id']}/answer']"
    driver.get(f"{box.url}/events/{survey['id']}")
    assert len(driver.find_elements(By.CSS_SELECTOR, "input[name='value.pain']")) == 11
    driver.execute_script("document.querySelector(arguments[0]).noValidate = true", form)
    press(driver, "label:has(input[name='value.pain'][value='4'])")
    find(driver, "input[name='value.sleep']").send_keys("25")
    press(driver, f"{form} button")
    wait(
        lambda: is_there(driver, "input[name='value.sleep'][aria-invalid=true]"),
        "the limit is not said at the field")
    field = find(driver, "input[name='value.sleep']")
    described = field.get_attribute("aria-describedby")
    assert "limit" in find(driver, f"#{described.split()[-1]}").text.lower()
    assert field.get_attribute("value") == "25", "the entry is gone"
    assert is_there(driver, "input[name='value.pain'][value='4']:checked"), "the answer is gone"
    assert not event(box, "check-in")["completed"]
    field.clear()
    field.send_keys("abc")
    press(driver, f"{form} button")
    wait(
        lambda: "code=notANumber" in driver.current_url
        and is_there(driver, "input[name='value.sleep'][aria-invalid=true]"),
        "that letters are no number is not said at the field")
    assert "number" in find(driver, "#field-1-error").text
    field = find(driver, "input[name='value.sleep']")
    field.clear()
    field.send_keys("7.5")
    press(driver, f"{form} button")
    wait(lambda: event(box, "check-in")["completed"], "the answers did not reach the store")
    # Who corrects one answer finds the others filled in.
    driver.get(f"{box.url}/events/{survey['id']}")
    assert find(driver, "input[name='value.sleep']").get_attribute("value") == "7.5"
    assert is_there(driver, "input[name='value.pain'][value='4']:checked")
    values = {v["kind"]: v["value"] for v in event(box, "check-in")["values"]}
    assert values == {"pain": 4, "sleep": 7.5}, values
    send(box, "DELETE", f"/api/v1/events/{survey['id']}/outcome")


def add_picture(box, driver, name):
    """A picture answers a question; a file that is none is refused at its field."""
    survey = event(box, "check-in")
    form = f"form[action='/events/{survey['id']}/answer']"
    lie, picture = box.folder / f"{name}.jpg", box.folder / f"{name}.png"
    lie.write_text("no picture")
    picture.write_bytes(png(40, 30))
    driver.get(f"{box.url}/events/{survey['id']}")
    press(driver, "label:has(input[name='value.pain'][value='4'])")
    find(driver, "input[name='value.sleep']").send_keys("7.5")
    find(driver, "input[name='file.knee']").send_keys(str(lie))
    press(driver, f"{form} button")
    wait(
        lambda: is_there(driver, "input[name='file.knee'][aria-invalid=true]"),
        "the refused file is not said at its field")
    assert not event(box, "check-in")["completed"]
    assert find(driver, "input[name='value.sleep']").get_attribute("value") == "7.5"
    find(driver, "input[name='file.knee']").send_keys(str(picture))
    press(driver, f"{form} button")
    wait(lambda: event(box, "check-in")["completed"], "the picture did not reach the store")
    wait(
        lambda: driver.execute_script(
            "const i = document.querySelector('img.thumb');"
            "i?.scrollIntoView(); return i?.naturalWidth ?? 0") == 40,
        "the picture is not shown")
    send(box, "DELETE", f"/api/v1/events/{survey['id']}/outcome")


# Three seconds of a moving circle, as the browser itself records it.
FILM = """
const [done, type] = [arguments[1], arguments[0]];
const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
const pen = canvas.getContext("2d");
let number = 0;
const drawing = setInterval(() => {
  pen.fillStyle = "#2a7f78";
  pen.fillRect(0, 0, 320, 180);
  pen.fillStyle = "#ffffff";
  pen.fillRect(number++ * 4 % 280, 80, 40, 20);
}, 40);
const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: type });
const parts = [];
recorder.ondataavailable = (event) => parts.push(event.data);
recorder.onstop = async () => {
  clearInterval(drawing);
  done(Array.from(new Uint8Array(await new Blob(parts).arrayBuffer())));
};
recorder.start();
setTimeout(() => recorder.stop(), 3000);
"""
# Waits until the video on the page is known, shows its middle, and plays it.
PLAY = """
const done = arguments[0];
const film = document.querySelector("video.film");
const once = (name) => new Promise((go) => film.addEventListener(name, go, { once: true }));
(async () => {
  film.muted = true;
  if (film.readyState < 1) await once("loadedmetadata");
  film.currentTime = 1.5;
  await once("seeked");
  const found = film.currentTime;
  await film.play();
  done([film.videoWidth, found, film.getAttribute("aria-label"), film.clientHeight]);
})().catch((error) => done(String(error)));
"""


def own_video(box, driver, name):
    """A task's own video plays beside the instructions, at any moment of it, and through a change elsewhere."""
    task = event(box, "check-in")
    place = f"/api/v1/tasks/check-in/video?patient={task['patient']}"
    for media in ("video/mp4;codecs=avc1", "video/webm;codecs=vp8"):
        driver.get(f"{box.url}/events/{task['id']}")
        assert not is_there(driver, "video"), "there is a video before there is one"
        film = bytes(driver.execute_async_script(FILM, media))
        request = urllib.request.Request(
            box.url + place, method="PUT", data=film,
            headers={"Content-Type": media.split(";")[0]})
        urllib.request.urlopen(request, timeout=10).read()
        driver.get(f"{box.url}/events/{task['id']}")
        settle(driver)
        stay(driver)
        played = driver.execute_async_script(PLAY)
        assert played[0] == 320 and 1.4 < played[1] < 1.6 and played[3] > 100, played
        assert played[2].startswith("Video: "), played
        send(box, "PUT", f"/api/v1/events/{task['id']}/outcome", {"state": "skipped"})
        wait(lambda: "skipped" in text(driver, "main").lower(), "the change does not show")
        assert driver.execute_script(
            "return document.querySelector('video.film').currentTime") > 1.4, "it began again"
        expect_stayed(driver)
        send(box, "DELETE", f"/api/v1/events/{task['id']}/outcome")
        send(box, "DELETE", place)


def png(width, height):
    """A grey picture."""
    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))
    rows = (b"\0" + b"\x90" * width) * height
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def decline(box, driver, name):
    """What was not done is said with a reason."""
    dose = event(box, "stretch")
    form = f"form[action='/events/{dose['id']}/not-done']"
    driver.get(f"{box.url}/events/{dose['id']}")
    unfold(driver, form)
    find(driver, f"{form} [name=reason]").send_keys("The knee is swollen <b>")
    press(driver, f"{form} button")
    wait(lambda: event(box, "stretch").get("answer"), "the reason did not reach the store")
    answer = event(box, "stretch")["answer"]
    assert (answer["state"], answer["reason"]) == ("notDone", "The knee is swollen <b>"), answer
    driver.get(box.url + "/today")
    assert "The knee is swollen <b>" in text(driver, "main")
    send(box, "DELETE", f"/api/v1/events/{dose['id']}/outcome")


def bring_history(box, driver, name):
    """Another program's file is shown first, then imported; the same again brings nothing."""
    file = box.folder / f"{name}.csv"
    # What was deleted does not come back: each size has a year of its own.
    year = 2000 + len(name) % 20
    file.write_text(
        f"DATE,TIME,BMI,WEIGHT\n{year}-03-02,07:04:31,24.8,81.95\n{year}-03-03,07:05:00,24.7,81.6\n")
    before = len(weights(box))
    driver.get(box.url + "/setup")
    press(driver, "a[href='/setup/history']")
    for count in (4, 0):
        find(driver, "select[name=patient] option[value=alex]").click()
        find(driver, "input[name=file]").send_keys(str(file))
        press(driver, "form[action='/setup/history'] button")
        wait(lambda: f"{count} new" in text(driver, "main"), "what would come is not said")
        assert "openScale" in text(driver, "main")
        if count == 0:
            assert not is_there(driver, "form[action='/setup/history/take']")
            break
        assert len(weights(box)) == before, "a dry run stored something"
        press(driver, "form[action='/setup/history/take'] button")
        wait(lambda: len(weights(box)) == before + 2, "the values did not reach the store")
        press(driver, "main a[href='/setup/history']")
    for sample in box.get(
            f"/api/v1/samples?patient=alex&from={year}-01-01&to={year}-12-31")["samples"]:
        send(box, "DELETE", f"/api/v1/samples/{sample['id']}")


def sort_out(box, driver, name):
    """A weighing of the tray is given to nobody, and put back; while it waits, every chart without it says so."""
    number = unassigned(box)[0]["id"]
    for page in ("insights", "measurements", "measurements/bodyMass"):
        driver.get(f"{box.url}/{page}")
        assert "are not counted here: Weight (" in text(driver, "p.waiting"), page
    driver.get(f"{box.url}/measurements/heartRate")
    assert not is_there(driver, "p.waiting"), "a pulse waits for nobody"
    press(driver, "nav a[href^='/measurements']")
    assert "wait" in text(driver, "[id^=m-0-bodyMass] .tag"), "the card does not say what it lacks"
    press(driver, "p.waiting a")
    wait(lambda: is_there(driver, f"#reading-{number}"), "what waits is not where the sentence leads")
    press(driver, f"form[action='/samples/{number}/assign']:has([name=nobody]) button")
    wait(lambda: not is_there(driver, f"#reading-{number}"), "the question is still asked")
    press(driver, "#notice form button")
    wait(lambda: is_there(driver, f"#reading-{number}"), "undo did not bring the question back")
    assert unassigned(box)[0]["id"] == number


def weigh_ins(weights):
    """A trace of weighings as a Mi scale broadcasts them: day of November 2026, hour, kilograms."""
    yield json.dumps(
        {"measured-trace": 1, "start": "2026-11-01T00:00:00+01:00", "adapter": "hci0"})
    for day, hour, kilograms in weights:
        payload = struct.pack(
            "<BBHBBBBBHH", 2, 0xA4, 2026, 11, day, hour, 0, 0, 0, round(kilograms * 200))
        data = bytes([2, 1, 6, len(payload) + 3, 0x16, 0x1B, 0x18]) + payload
        yield json.dumps({
            "t": ((day - 1) * 24 + hour) * 3600, "type": "advertisement",
            "address": "5C:CA:D3:70:D4:A2", "addressType": "public", "rssi": -60,
            "data": data.hex()})


def tell_apart(box, driver, name):
    """Two people use the scale of a plan with one patient: one answer says which one that is."""
    store = box.folder / f"{name}.sqlite"
    plan = box.folder / f"{name}.yaml"
    plan.write_text("timeZone: Europe/Berlin\npatients: [{id: ann, name: {given: Ann}}]\ntasks: []\n")
    subprocess.run([box.program, "plan", "import", plan, "--store", store], check=True)
    trace = box.folder / f"{name}.jsonl"
    trace.write_text("\n".join(weigh_ins(
        (day, hour, kilograms) for day in range(1, 15)
        for hour, kilograms in ((6, 88.5 + day % 3 / 5), (7, 95.6 - day % 4 / 5)))) + "\n")
    subprocess.run(
        [box.program, "replay", trace, "--store", store], check=True, stdout=subprocess.DEVNULL)
    with newcomer.served(box, store) as url:
        def tracks():
            return newcomer.get(url, "/api/v1/weighings")

        driver.get(f"{url}/today")
        assert "88." in text(driver, "#weigher .odds") and "95." in text(driver, "#weigher .odds")
        driver.get(f"{url}/weighings")
        first = tracks()["question"]["residents"][0]["sample"]
        press(driver, f"#weigher form:has([name=sample][value='{first}']) button")
        wait(lambda: "Ann" in text(driver, "#notice"), "the answer is not confirmed")
        assert not is_there(driver, "#weigher"), "the question is still asked"
        assert [track.get("patient") for track in tracks()["tracks"]] == ["ann", None]
        assert not any(each["waits"] for track in tracks()["tracks"] for each in track["weighings"])
        press(driver, "#notice form button")
        wait(lambda: is_there(driver, "#weigher"), "undo did not bring the question back")
        # The page would ask a server that has ended.
        driver.get("about:blank")


def correct(box, driver, name, entries=(("eighty", True), ("80.5", False))):
    """A weight is corrected, and the correction undone; a refused one stays in its own field."""
    sample = weights(box)[-1]
    driver.get(f"{box.url}/measurements/bodyMass?span=week")
    form = f"form[action='/samples/{sample['id']}/correct']"
    for entry, is_refused in entries:
        unfold(driver, form)
        field = find(driver, f"{form} [name=value]")
        field.clear()
        field.send_keys(entry)
        press(driver, f"{form} button")
        if is_refused:
            wait(lambda: is_there(driver, "#notice .refusal"), "the refusal is not said")
            entered = find(driver, f"{form} [name=value]").get_attribute("value")
            assert entered == entry, f"the entry became {entered}"
    wait(lambda: weights(box)[-1]["value"] == 80.5, "the correction did not reach the store")
    press(driver, "#notice form button")
    wait(
        lambda: weights(box)[-1]["value"] == sample["value"], "undo did not reach the store")
    wait(lambda: is_there(driver, form), "the measured value is not shown again")


def add_reading(box, driver, name):
    """A reading that no task asks for is added in each language, a wrong one stays at its field; it is undone."""
    def readings(quantity):
        return box.get(f"/api/v1/samples?patient=alex&quantity={quantity}")["samples"]

    for code in ("zh-Hant", "en"):
        driver.get(f"{box.url}/measurements?patient=alex&lang={code}")
        form = "form[action='/samples']"
        for entry, is_refused in (("80/120", True), ("134/86", False)):
            unfold(driver, form)
            choose(driver, f"{form} [name=quantity]", "bloodPressureSystolic")
            field = find(driver, f"{form} [name=value]")
            field.clear()
            field.send_keys(entry)
            press(driver, f"{form} button")
            if is_refused:
                wait(lambda: is_there(driver, f"{form} .wrong [aria-invalid=true]"), "no field says why")
                assert not readings("bloodPressureSystolic"), "a refused value was stored"
        wait(
            lambda: [r["value"] for r in readings("bloodPressureSystolic") + readings("bloodPressureDiastolic")]
            == [134, 86], "the pressure did not reach the store")
        table = urllib.request.urlopen(f"{box.url}/measurements.csv?patient=alex&quantity=bloodPressureSystolic")
        assert len(table.read().decode().splitlines()) == 2, "the table has not the reading"
        wait(lambda: is_there(driver, "#notice form button"), "it cannot be undone")
        press(driver, "#notice form button")
        wait(
            lambda: not readings("bloodPressureSystolic") and not readings("bloodPressureDiastolic"),
            "undo did not reach the store")


def tell(box, driver, name):
    """Who is told of what is chosen with the person, and taken back, in each language."""
    def told():
        plan = urllib.request.urlopen(box.url + "/api/v1/plan", timeout=10).read().decode()
        return "notify:" in plan

    for code in ("zh-Hant", "en"):
        driver.get(f"{box.url}/setup/person?patient=alex&lang={code}")
        press(driver, ".wizard .change button[value=told]")
        assert not find(driver, "[name='told1.after']").is_displayed(), "it asks when nobody is told"
        choose(driver, "[name=told1]", "alert")
        after = find(driver, "[name='told1.after']")
        wait(after.is_displayed, "it does not ask when")
        after.send_keys("30")
        press(driver, ".wizard label:has([name='told1.to'][value=alex])")
        press(driver, ".wizard .row button.main")
        wait(lambda: is_there(driver, ".wizard .answers"), "there is no review")
        assert "30" in text(driver, ".wizard .answers"), text(driver, ".wizard .answers")
        press(driver, ".wizard .row button.main")
        wait(told, "the plan tells nobody")
        plan = urllib.request.urlopen(box.url + "/api/v1/plan", timeout=10).read().decode()
        assert "for: alert" in plan and "30m" in plan, plan
        press(driver, "#notice form button")
        wait(lambda: not told(), "undo did not reach the store")


def live(box, driver, name):
    """What another program stores shows on the open page without a reload, and is announced."""
    stretch = event(box, "stretch")
    driver.get(box.url + "/today")
    settle(driver)
    stay(driver)
    times = []
    for _ in range(3):
        box.run("done", "stretch", "--date", DAY)
        start = time.monotonic()
        wait(
            lambda: is_there(driver, f"article form[action='/events/{stretch['id']}/undo']"),
            "the page did not change")
        times.append((time.monotonic() - start) * 1000)
        said = find(driver, "#announcement").get_attribute("textContent")
        assert "Stretch" in said, f"announced: {said}"
        send(box, "DELETE", f"/api/v1/events/{stretch['id']}/outcome")
        time.sleep(1.5)
    print(f"{name}: {', '.join(f'{t:.0f}' for t in times)} ms after the command ended", flush=True)
    limit = LIVE * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert min(times) < limit, f"the page took {min(times):.0f} ms; the limit is {limit:.0f} ms"
    expect_stayed(driver)


def steady(box, driver, name):
    """What comes in above moves nothing under the finger."""
    waiting = unassigned(box)[0]["id"]
    send(box, "PUT", f"/api/v1/samples/{waiting}/assignment", {"patient": "alex"})
    driver.get(box.url + "/today")
    settle(driver)
    stretch = event(box, "stretch")
    button = f"form[action='/events/{stretch['id']}/done'] button.check"
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", find(driver, button))
    top = lambda: driver.execute_script(
        "return document.querySelector(arguments[0])?.getBoundingClientRect().top ?? 0", button)
    before = top()
    send(box, "DELETE", f"/api/v1/samples/{waiting}/assignment")
    wait(lambda: is_there(driver, f"#reading-{waiting}"), "the question did not come")
    time.sleep(0.2)
    assert abs(top() - before) < 2, f"the button moved from {before} to {top()}"


def half_filled(box, driver, name):
    """A change elsewhere leaves the focus and what is half typed."""
    stretch = event(box, "stretch")
    form = f"form[action='/events/{stretch['id']}/not-done']"
    driver.get(f"{box.url}/events/{stretch['id']}")
    settle(driver)
    stay(driver)
    unfold(driver, form)
    find(driver, f"{form} [name=reason]").send_keys("half a")
    before = text(driver, "section[data-live]")
    box.run("done", "stretch", "--date", DAY)
    wait(lambda: text(driver, "section[data-live]") != before, "the result did not change")
    field = driver.switch_to.active_element
    assert field.get_attribute("name") == "reason", "the field has lost the focus"
    field.send_keys(" word")
    assert field.get_attribute("value") == "half a word"
    # What was held back comes once the field is as it was.
    field.send_keys(Keys.BACKSPACE * len("half a word"))
    send(box, "DELETE", f"/api/v1/events/{stretch['id']}/outcome")
    wait(lambda: text(driver, "section[data-live]") == before, "the result did not change back")
    assert driver.switch_to.active_element.get_attribute("name") == "reason", "the emptied field has lost the focus"
    # A button in a part that changes keeps the focus, too.
    driver.get(box.url + "/today")
    settle(driver)
    driver.execute_script(
        "document.querySelector(arguments[0]).focus()",
        f"form[action='/events/{stretch['id']}/done'] button.check")
    box.run("done", "stretch", "--date", DAY)
    undo = f"article form[action='/events/{stretch['id']}/undo'] button.check"
    wait(lambda: is_there(driver, undo), "the page did not change")
    assert driver.switch_to.active_element == find(driver, undo), "the focus is gone"
    send(box, "DELETE", f"/api/v1/events/{stretch['id']}/outcome")


def throttles(box, driver, name):
    """A stream of changes makes the page ask at most once a second, and quiet makes it stop."""
    stretch = event(box, "stretch")
    driver.get(box.url + "/today")
    settle(driver)
    before, start = requests(driver), time.monotonic()
    while time.monotonic() < start + 3:
        send(box, "PUT", f"/api/v1/events/{stretch['id']}/outcome", {"values": []})
        send(box, "DELETE", f"/api/v1/events/{stretch['id']}/outcome")
    time.sleep(1.2)
    count = requests(driver) - before
    assert 2 <= count <= 5, f"{count} requests in 4 seconds"
    quiet = requests(driver)
    time.sleep(3)
    assert requests(driver) == quiet, f"{requests(driver) - quiet} requests in a quiet time"


def reconnects(box, driver, name):
    """A page whose stream breaks catches up, also after answers that are no stream."""
    stretch = event(box, "stretch")
    with Relay(box) as relay:
        driver.get(f"{relay.url}/today")
        settle(driver)
        stay(driver)
        for answers in [None, b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"]:
            relay.cut(answers)
            box.run("done", "stretch", "--date", DAY)
            time.sleep(4)
            undo = f"article form[action='/events/{stretch['id']}/undo']"
            assert not is_there(driver, undo)
            relay.mend()
            wait(lambda: is_there(driver, undo), "the page did not catch up")
            send(box, "DELETE", f"/api/v1/events/{stretch['id']}/outcome")
            wait(lambda: not is_there(driver, undo), "the page did not stay connected")
        expect_stayed(driver)
        driver.get("about:blank")


def offline(box, driver, name):
    """A tap without a network is said and kept, and sent when the network is back."""
    def connect(is_connected):
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": not is_connected, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        })

    stretch = event(box, "stretch")
    driver.get(box.url + "/today")
    settle(driver)
    stay(driver)
    driver.execute_cdp_cmd("Network.enable", {})
    try:
        connect(False)
        press(driver, f"form[action='/events/{stretch['id']}/done'] button.check")
        wait(lambda: "no connection" in text(driver, "#notice"), "the page does not say it")
        assert not event(box, "stretch")["completed"]
    finally:
        connect(True)
    wait(lambda: event(box, "stretch")["completed"], "the tap was lost")
    expect_stayed(driver)
    send(box, "DELETE", f"/api/v1/events/{stretch['id']}/outcome")


def measure(box, driver, name):
    """The knee is measured with the demo's sensor: from the instructions to the stored result."""
    knee = event(box, "knee-evening")
    state = lambda: driver.execute_script(
        "return document.getElementById('measure')?.dataset.state ?? ''")
    driver.get(box.url + "/today")
    press(driver, f"a[href^='/events/{knee['id']}/measure']")
    # What was cancelled before can be started as well.
    wait(
        lambda: state() in ("instructions", "cancelled"),
        lambda: f"no instructions but {state()!r} on {driver.current_url}")
    stay(driver)
    press(driver, "#sounds [data-sound]")
    press(driver, "#sounds [data-voice]")
    pressed = "return document.querySelectorAll('#sounds [aria-pressed=true]').length"
    assert driver.execute_script(pressed) == 2, "the sounds are not on"
    press(driver, "#measure form[action$='/start'] button")
    wait(lambda: state() == "countdown", "there is no countdown")
    wait(lambda: state() == "recording", "nothing is recorded")
    number = lambda: int(text(driver, "#measure [data-number]") or 0)
    wait(lambda: number() > 60, "the angle does not follow the knee")
    points = "return document.querySelector('#measure [data-trace]').getAttribute('points')"
    assert len(driver.execute_script(points).split()) > 40, "there is no trace"
    press(driver, "#measure form[action$='/cancel'] button")
    wait(lambda: state() == "cancelled", "it was not cancelled")
    assert not event(box, "knee-evening")["completed"]
    press(driver, "#measure form[action$='/start'] button")
    wait(lambda: state() == "recording", "it does not start again")
    time.sleep(14)
    wait(lambda: state() == "verdict", "there is no result")
    expect_stayed(driver)
    # The sensor bends by 98°. On a busy machine its samples come unevenly, and are timed by that.
    angle = text(driver, "#measure .value")
    assert angle.rstrip("°") in ("97", "98", "99"), angle
    assert driver.execute_script(pressed) == 2, "the sounds are off"
    press(driver, "#measure form[action$='/keep'] button")
    wait(lambda: event(box, "knee-evening")["completed"], "the result did not reach the store")
    wait(lambda: driver.current_url.split("?")[0].endswith(knee["id"]), "the page stayed")
    provenance = {value["provenance"] for value in event(box, "knee-evening")["values"]}
    assert provenance == {"active"}, provenance
    # What was kept by mistake can be measured again, or taken back with its readings.
    knees = lambda: len(box.get("/api/v1/samples?quantity=rangeOfMotion&patient=alex")["samples"])
    kept = knees()
    press(driver, f"a[href^='/events/{knee['id']}/measure']")
    find(driver, "#measure form[action$='/start'] button")
    driver.get(f"{box.url}/events/{knee['id']}")
    form = f"form[action='/events/{knee['id']}/undo']"
    unfold(driver, form)
    press(driver, form + " button")
    wait(lambda: not event(box, "knee-evening")["completed"], "it was not taken back")
    assert knees() < kept, "its readings still count"


def next_screen(driver, heading):
    press(driver, ".wizard .row button.main")
    wait(lambda: text(driver, ".wizard h2") == heading, f"the form does not ask: {heading}")


def plan_a_task(box, driver, name, has_script=True):
    """A task is added question by question, with its next days in view, and taken back."""
    def titles():
        return [e["title"] for e in box.get("/api/v1/events?date=2026-11-09")["events"]]

    driver.get(box.url + "/setup/task?patient=alex")
    find(driver, "#field-title").send_keys("Water the plants")
    next_screen(driver, "How often?")
    press(driver, "input[name='every'][value='daily']")
    next_screen(driver, "When exactly?")
    if has_script:
        before = text(driver, "#preview")
        driver.execute_script(
            "const time = document.getElementById('field-time'); time.value = '21:30';"
            "time.dispatchEvent(new Event('input', {bubbles: true}))")
        wait(lambda: "21:30" in text(driver, "#preview"), f"the preview stays: {before}")
        minutes = find(driver, "#field-minutes")
        assert minutes.is_displayed(), "the length is not asked for"
        assert not find(driver, "#field-count").is_displayed(), "the number of times is asked for"
        press(driver, "input[name='length'][value='allDay']")
        assert not minutes.is_displayed(), "the length of a whole day is asked for"
        press(driver, "input[name='length'][value='timed']")
    else:
        press(driver, "button[value='preview']")
        wait(lambda: is_there(driver, "#preview .due"), "there is no preview")
    next_screen(driver, "What completes it?")
    press(driver, "input[name='answer'][value='check']")
    next_screen(driver, "Is there a reminder?")
    next_screen(driver, "How does it look?")
    next_screen(driver, "Check the answers")
    press(driver, ".wizard .row button.main")
    wait(lambda: "Water the plants" in titles(), "the task did not reach the store")
    press(driver, "#notice form button")
    wait(lambda: "Water the plants" not in titles(), "undo did not reach the store")


def ask_twice(box, driver, name):
    """A survey has as many questions as are asked for; nobody asks for its goal."""
    def surveys():
        return [e for e in box.get("/api/v1/events?date=2026-11-09")["events"] if e["title"] == "How is it?"]

    driver.get(box.url + "/setup/task?patient=alex")
    find(driver, "#field-title").send_keys("How is it?")
    next_screen(driver, "How often?")
    press(driver, "input[name='every'][value='daily']")
    next_screen(driver, "When exactly?")
    next_screen(driver, "What completes it?")
    press(driver, "input[name='answer'][value='survey']")
    press(driver, ".wizard .row button.main")
    for number, question in (("1", "Does it hurt?"), ("2", "Did you sleep?")):
        find(driver, f"[name='q{number}.title']").send_keys(question)
        driver.execute_script(
            "arguments[0].value = 'boolean'; arguments[0].dispatchEvent(new Event('change', {bubbles: true}))",
            find(driver, f"[name='q{number}.type']"))
        if number == "1":
            press(driver, "label:has([name='more'])")
            press(driver, ".wizard .row button.main")
    next_screen(driver, "Is there a reminder?")
    next_screen(driver, "How does it look?")
    next_screen(driver, "Check the answers")
    press(driver, ".wizard .row button.main")
    wait(surveys, "the survey did not reach the store")
    plan = urllib.request.urlopen(box.url + "/api/v1/plan", timeout=10).read().decode()
    assert "Does it hurt?" in plan and "Did you sleep?" in plan, "a question is missing"
    press(driver, "#notice form button")
    wait(lambda: not surveys(), "the survey is still there")


def no_script(box, driver, name):
    """Everything works without scripts."""
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        plan_a_task(box, driver, name, has_script=False)
        take_back_without_script(box, driver)
        measure_without_script(box, driver)
        sort_out(box, driver, name)
        correct(box, driver, name, entries=[("80.5", False)])
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def measure_without_script(box, driver):
    knee = event(box, "knee-evening")
    driver.get(f"{box.url}/events/{knee['id']}/measure")
    press(driver, "form[action$='/start'] button")
    find(driver, "#measure[data-state=countdown]")
    # The page asks for itself again.
    find(driver, "#measure[data-state=recording]")
    press(driver, "form[action$='/cancel'] button")
    find(driver, "#measure[data-state=cancelled]")


def take_back_without_script(box, driver):
    dose = event(box, "stretch")
    driver.get(box.url + "/today")
    press(driver, f"form[action='/events/{dose['id']}/done'] button.check")
    wait(lambda: event(box, "stretch")["completed"], "the tap did not reach the store")
    press(driver, "#notice form button")
    wait(lambda: not event(box, "stretch")["completed"], "undo did not reach the store")


def on_paper(box, driver, name):
    """A printed day says whose it is, and has a circle for what is open."""
    dose = event(box, "stretch")
    send(box, "PUT", f"/api/v1/events/{dose['id']}/outcome", {"values": []})
    driver.get(f"{box.url}/today")
    seen = "return [...document.querySelectorAll(arguments[0])].map(e => e.getClientRects().length > 0)"
    assert driver.execute_script(seen, ".print-only") == [False], "the screen shows what is for paper"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert driver.execute_script(seen, ".print-only") == [True], "the paper names nobody"
        checks = driver.execute_script(seen, "form > .check, form > .slot")
        assert checks and all(checks), f"{checks.count(False)} of {len(checks)} circles are not on paper"
        assert not any(driver.execute_script(seen, "form .btn")), "the paper has buttons"
        # Printers leave out what is behind letters, unless it is said to matter.
        done = find(driver, f"form[action='/events/{dose['id']}/undo'] .check.on")
        kept = driver.execute_script("return getComputedStyle(arguments[0]).printColorAdjust", done)
        assert kept == "exact", "what a person has done is printed as open"
    finally:
        send(box, "DELETE", f"/api/v1/events/{dose['id']}/outcome")
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    # Every sheet of a report has in its margin whose it is and of when.
    driver.get(f"{box.url}/report?from=2026-10-05&to=2026-11-08")
    margin = driver.execute_script("return getComputedStyle(document.documentElement).getPropertyValue('--running')")
    assert "Alex Example" in margin and "5 October 2026 to 8 November 2026" in margin, margin
    rules = driver.execute_script(
        "return [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])"
        ".filter(rule => rule instanceof CSSPageRule).map(rule => rule.cssText).join()")
    assert "@top-left" in rules and "--running" in rules and "counter(page)" in rules, rules


def change_language(box, driver, name):
    """The chosen language stays on every page, until another one is chosen."""
    driver.get(box.url + "/today")
    for code, others in [("zh-Hant", "/insights"), ("en", "/devices")]:
        press(driver, f".foot a[hreflang='{code}']")
        wait(lambda: find(driver, "html").get_attribute("lang") == code, "the language is not shown")
        assert "/today" in driver.current_url
        driver.get(box.url + others)
        assert find(driver, "html").get_attribute("lang") == code, "the language was not kept"
        driver.get(box.url + "/today")


def keyboard(box, driver, name):
    """A dose is taken by keyboard alone, and every stop on the way can be seen."""
    dose = event(box, "stretch")
    driver.get(box.url + "/today")
    target = f"form[action='/events/{dose['id']}/done'] button.check"
    stops = 0
    while True:
        driver.switch_to.active_element.send_keys(Keys.TAB)
        stops += 1
        assert stops < 60, "the dose is not reached"
        hidden = driver.execute_script(HIDDEN)
        assert not hidden, f"stop {stops} is covered: {hidden}"
        if stops == 1:
            link = driver.switch_to.active_element.get_attribute("class")
            assert link == "skip", f"the first stop is {link}"
        if driver.switch_to.active_element == find(driver, target):
            break
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    undo = f"article form[action='/events/{dose['id']}/undo'] button.check"
    wait(lambda: is_there(driver, undo), "Enter did not take the dose")
    assert driver.switch_to.active_element == find(driver, undo), "the focus is gone"
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    wait(lambda: not event(box, "stretch")["completed"], "Enter did not take it back")


# The stop's HTML if it is covered, by the navigation at last, or its outline is missing.
HIDDEN = """
const stop = document.activeElement;
const box = stop.getBoundingClientRect();
const at = (y) => document.elementFromPoint(box.left + Math.min(box.width / 2, 20), y);
const isCovered = (y) => !at(y) || Boolean(at(y).closest(".nav")) !== Boolean(stop.closest(".nav"));
const isSeen = stop.contains(at(box.top + box.height / 2));
const isMarked = getComputedStyle(stop).outlineStyle !== "none"
  || getComputedStyle(stop, "::after").outlineStyle !== "none";
return !isSeen || !isMarked || isCovered(box.top + 1) || isCovered(box.bottom - 1)
  ? stop.outerHTML.slice(0, 200) : "";
"""


class Relay:
    """A wire between the browser and the box that can be cut."""

    def __init__(self, box):
        self.port = int(box.url.rsplit(":", 1)[1])
        self.lines, self.is_cut, self.answer = [], False, None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut(None)
        self.listener.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                with contextlib.suppress(OSError):
                    if self.answer:
                        client.recv(65536)
                        client.sendall(self.answer)
                    client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self.port))
            self.lines += [client, server]
            for ends in [(client, server), (server, client)]:
                threading.Thread(target=self.pump, args=ends, daemon=True).start()

    @staticmethod
    def pump(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self, answer):
        """Breaks every connection; new ones get this answer, or end at once."""
        self.is_cut, self.answer = True, answer
        for line in self.lines:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self.lines = []

    def mend(self):
        self.is_cut = False


TESTS = """
  - id: tapping
    patient: alex
    title: Tap with the right hand
    optional: true
    schedule:
      - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
    activeTask: {type: tapping, side: right, duration: 5s}
  - id: reaction
    patient: alex
    title: React
    optional: true
    schedule:
      - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
    activeTask: {type: reactionTime, attempts: 3}
"""


def with_tests(box):
    """Adds two tests on the screen to the plan."""
    plan = urllib.request.urlopen(box.url + "/api/v1/plan", timeout=10).read().decode()
    if "id: reaction" in plan:
        return
    request = urllib.request.Request(
        box.url + "/api/v1/plan", method="PUT", headers={"Content-Type": "application/yaml"},
        data=plan.replace("\ntasks:\n", "\ntasks:" + TESTS, 1).encode())
    urllib.request.urlopen(request, timeout=10).read()


def keep_result(box, driver, task, course=""):
    """Nothing is saved before the person keeps the result."""
    wait(lambda: is_there(driver, "input[name=keep]"), lambda: (
        f"the result is not shown {course}; the page says: {text(driver, '#notice')!r} and "
        f"{text(driver, '#perform-said')!r}"))
    assert not event(box, task)["completed"]
    press(driver, "form:has(input[name=keep]) button")
    wait(lambda: event(box, task)["completed"], "the result did not reach the store")


def react(box, driver, name):
    """A reaction time is measured in the page: a press too early does not count."""
    with_tests(box)
    test = event(box, "reaction")
    driver.get(f"{box.url}/events/{test['id']}")
    press(driver, "a[href*='/perform']")
    said = lambda: text(driver, "#perform-said")
    wait(lambda: "3 attempts" in said(), "the test does not say how it goes")
    press(driver, "#perform-start")
    press(driver, "#signal")
    wait(lambda: "Too early" in said(), "a press before the signal counts")
    for number in range(3):
        wait(lambda: is_there(driver, "#signal.go"), "there is no signal")
        time.sleep(0.2)  # a machine reacts sooner than a person can
        if number == 1:
            find(driver, "body").send_keys(Keys.SPACE)
        else:
            find(driver, "#signal").click()
    keep_result(box, driver, "reaction")
    values = {v["kind"]: v["value"] for v in event(box, "reaction")["values"] if v["kind"]}
    assert values["failed"] == 1, values
    assert 0 < values["best"] <= values["median"] <= values["worst"] < 3000, values
    wait(lambda: "React" in text(driver, "#notice"), "the notice does not say it")
    send(box, "DELETE", f"/api/v1/events/{test['id']}/outcome")


def tap(box, driver, name):
    """Two buttons are tapped for five seconds, with a pointer and with keys."""
    with_tests(box)
    test = event(box, "tapping")
    driver.get(f"{box.url}/events/{test['id']}/perform")
    press(driver, "#perform-start")
    pads = [find(driver, f".pad[data-button={side}]") for side in ("left", "right")]
    wait(lambda: text(driver, "#perform-clock") == "5.0 s", "the clock does not say the time")
    place = driver.execute_script(
        "const box = arguments[0].getBoundingClientRect();"
        "return {x: box.x + box.width / 2, y: box.y + box.height / 2}", pads[0])
    taps, stumble = 0, None
    end = time.monotonic() + PATIENCE
    while is_there(driver, "#stage:not([hidden], .over)") and time.monotonic() < end:
        try:
            pads[taps % 2].click()
            find(driver, "body").send_keys("jf"[taps % 2])
            taps += 1
        except WebDriverException as error:  # what cannot be tapped now is tapped again
            stumble = error.msg
    # A finger goes on for a moment, wherever it lands.
    for _ in range(5):
        for kind in ("mousePressed", "mouseReleased"):
            driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1})
        time.sleep(0.15)
    keep_result(box, driver, "tapping", f"after {taps} pairs of taps, the last error {stumble}")
    values = {v["kind"]: v["value"] for v in event(box, "tapping")["values"] if v["kind"]}
    assert values["tapsRight"] == values["taps"] >= 4, values
    assert values["outsideRight"] == 0 and values["durationRight"] <= 5, values
    send(box, "DELETE", f"/api/v1/events/{test['id']}/outcome")
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        driver.get(f"{box.url}/events/{test['id']}/perform")
        assert "needs JavaScript" in find(driver, "main").text
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def reach(box, driver, name):
    """Ways for messages are added to a person, put in another order, tried and removed, in each language."""
    def channels():
        people = box.get("/api/v1/channels")["people"]
        return next((p["channels"] for p in people if p.get("patient") == "alex" and "contact" not in p), [])

    def with_hidden(action, channel):
        return f"form[action='/connect/channels/{action}']:has([name=channel][value='{channel}']):has([name=return])"

    mail, topic = "email:alex@example.org", "ntfy:https://ntfy.example/box-5f0c"
    for code in ("en", "zh-Hant"):
        driver.get(f"{box.url}/connect?patient=alex&lang={code}")
        form = "form[action='/connect/channels/add']:has([name=patient][value=alex]):not(:has([name=contact]))"
        for kind, address, expected in (("email", "alex@example.org", 1), ("ntfy", "https://ntfy.example/box-5f0c", 2)):
            unfold(driver, form)
            driver.execute_script(
                "arguments[0].value = arguments[1]", find(driver, f"{form} [name=kind]"), kind)
            find(driver, f"{form} [name=address]").send_keys(address)
            press(driver, f"{form} button")
            wait(lambda: len(channels()) == expected, f"{kind} is not added: {channels()}")
            wait(lambda: is_there(driver, "#notice .notice"), "nothing says so")
        unfold(driver, with_hidden("move", topic))
        press(driver, with_hidden("move", topic) + " button")
        wait(lambda: "ntfy" in channels()[0], "the order is as before")
        wait(lambda: is_there(driver, with_hidden("move", mail)), "the page shows the old order")
        unfold(driver, with_hidden("test", mail))
        press(driver, with_hidden("test", mail) + " button")
        wait(lambda: is_there(driver, ".message .text"), "nothing says what became of the test")
        assert text(driver, ".message .text").strip(), "the test says nothing"
        driver.get(f"{box.url}/connect?patient=alex")
        for left, channel in ((1, topic), (0, mail)):
            unfold(driver, with_hidden("remove", channel))
            press(driver, with_hidden("remove", channel) + " button")
            wait(lambda: len(channels()) == left, "it is not removed")
            wait(lambda: not is_there(driver, with_hidden("remove", channel)), "the page shows it still")
        # A wrong address is refused on the page.
        unfold(driver, form)
        find(driver, f"{form} [name=address]").send_keys("nobody")
        press(driver, f"{form} button")
        wait(lambda: is_there(driver, "#notice .refusal"), "the refusal is not said")
    driver.get(f"{box.url}/today?lang=en")


def send_on(box, driver, name):
    """Outlets are set up, tried, stopped and taken away, in each language; one without scripts."""
    secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

    def outlets():
        return {o["name"]: o["state"] for o in box.get("/api/v1/outlets")["outlets"] if o["kind"] != "messages"}

    def of(action, outlet):
        return f"form[action='/setup/outlets/{action}']:has([name=name][value='{outlet}'])"

    def walk(code, kind, outlet, fields, has_script=True):
        driver.get(f"{box.url}/setup?lang={code}")
        press(driver, "a[href='/setup/outlets']")
        press(driver, f"a[href^='/setup/outlets?kind={kind}']")
        form = "form[action^='/setup/outlets?kind=']"
        # A form without a name is refused beside what was typed.
        find(driver, f"{form} [name=name]").send_keys("Not A Name")
        for field, value in fields.items():
            find(driver, f"{form} [name={field}]").send_keys(value)
        press(driver, f"{form} [name=people][value=all] + span" if has_script else f"{form} [name=people][value=all]")
        press(driver, f"{form} button.main")
        wait(lambda: is_there(driver, f"{form} .wrong"), "a wrong name is not said")
        assert secret not in driver.page_source, "the secret came back"
        # Chromium notes that a form was refused.
        complaints = [complaint for complaint in console(driver) if "422" not in complaint]
        assert not complaints, complaints
        box_of = find(driver, f"{form} [name=name]")
        box_of.clear()
        box_of.send_keys(outlet)
        if "secret" in fields:
            find(driver, f"{form} [name=secret]").send_keys(fields["secret"])
        press(driver, f"{form} button.main")
        wait(lambda: outlet in outlets(), f"{outlet} is not set up: {outlets()}")
        wait(lambda: is_there(driver, of("pause", outlet)), "the page does not show it")
        assert secret not in driver.page_source, "the secret is shown"
        if is_there(driver, of("test", outlet)):
            press(driver, of("test", outlet) + " button")
            wait(lambda: is_there(driver, ".message .text"), "nothing says what became of the test")
            assert text(driver, ".message .text").strip(), "the test says nothing"
            driver.get(box.url + "/setup/outlets")
        press(driver, of("pause", outlet) + " button")
        wait(lambda: outlets()[outlet] == "paused", "it is not stopped")
        wait(lambda: is_there(driver, of("resume", outlet)), "the page does not show that it is stopped")
        time.sleep(1)
        press(driver, of("resume", outlet) + " button")
        wait(lambda: outlets()[outlet] == "ready", "it does not go on")
        wait(lambda: is_there(driver, of("pause", outlet)), "the page does not show that it goes on")
        time.sleep(1)
        unfold(driver, of("remove", outlet))
        press(driver, of("remove", outlet) + " button")
        wait(lambda: outlet not in outlets(), "it is not taken away")

    for code in ("en", "zh-Hant"):
        walk(code, "webhook", "hook", {"address": "http://127.0.0.1:9/in", "secret": secret})
        walk(code, "file", "days", {})
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        walk("en", "mqtt", "home", {"address": "mqtt://127.0.0.1:9", "user": "home"}, has_script=False)
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    driver.get(f"{box.url}/today?lang=en")


FLOWS = [
    take_a_dose, answer_check_in, add_picture, own_video, decline, bring_history, sort_out, tell_apart, correct, add_reading, tell, live, steady, half_filled,
    throttles, reconnects, offline, plan_a_task, ask_twice, measure, no_script, on_paper, change_language, keyboard, react,
    tap, reach, send_on,
]
