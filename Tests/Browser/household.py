"""The pages of a box that the network reaches: claiming, signing in, accounts, the audit log."""

import contextlib
import re
import subprocess
import urllib.parse

import flows

PASSCODE = "plain wooden spoon"


@contextlib.contextmanager
def served(box):
    """Serves a copy of the box's store to the network; its address, and the claim code."""
    box.run("store", "backup", "network.sqlite")
    process = subprocess.Popen(
        [box.program, "serve", "--store", "network.sqlite", "--page", "0.0.0.0:0"], cwd=box.folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
    try:
        code = port = None
        while not (code and port):
            line = process.stdout.readline()
            assert line, "the page is not served to the network"
            code = code or re.search(r"enter (\S+),", line)
            port = port or re.search(r"The page: http://[^/]*:(\d+)/", line)
        yield f"http://127.0.0.1:{port[1]}", code[1]
    finally:
        process.terminate()
        process.wait(10)


def fill(driver, form, **fields):
    """Fills a form and sends it."""
    for name, value in fields.items():
        flows.find(driver, f"form[action='{form}'] input[name='{name}']").send_keys(value)
    flows.press(driver, f"form[action='{form}'] button.main")


def walk(box, browser, sizes, languages, check, faults):
    """Claims the box and looks after accounts and tokens, at every size."""
    with served(box) as (url, code):
        for size in sizes:
            with browser(sizes[size]) as driver:

                def look(name, language=languages[0]):
                    check(driver, f"{name}-{size}", sizes[size], language)

                if code:
                    driver.get(f"{url}/setup/accounts")
                    path = urllib.parse.urlsplit(driver.current_url).path
                    assert path in ("/claim", "/signin"), path
                    driver.get(f"{url}/claim")
                    look("claim")
                    fill(
                        driver, "/claim", code=code, name="Ada", account="ada", new=PASSCODE,
                        again=PASSCODE)
                    code = None
                else:
                    driver.get(f"{url}/signin")
                    look("signin")
                    fill(driver, "/signin", account="ada", passcode=PASSCODE)
                flows.wait(
                    lambda: "/today" in driver.current_url, "signing in does not lead to today")
                driver.get(f"{url}/setup/accounts")
                fill(driver, "/setup/accounts/add", name="Mary", id=f"mary-{size}")
                flows.wait(lambda: "Mary" in flows.text(driver, "section[role=status]"), "no passcode")
                made = re.search(r"\w{4}-\w{4}-\w{4}", flows.text(driver, "section[role=status]"))[0]
                look("account-made")
                # Whose data it is has to be said.
                flows.press(driver, "form[action='/setup/tokens/add'] label:has([name=everyone])")
                fill(driver, "/setup/tokens/add", name="backup", days="30")
                flows.wait(lambda: "backup" in flows.text(driver, "section[role=status]"), "no token")
                for language in languages:
                    for name, path in (
                        ("accounts", "/setup/accounts"), ("audit", "/setup/audit"),
                        ("audit-reads", "/setup/audit?kind=reads"), ("account", "/account"),
                        ("setup-signed-in", "/setup"),
                    ):
                        joint = "&" if "?" in path else "?"
                        driver.get(f"{url}{path}{joint}lang={language}")
                        look(name, language)
                driver.get(f"{url}/account")
                flows.press(driver, "form[action='/signout'] button")
                driver.get(f"{url}/today")
                assert "/signin" in driver.current_url, "signing out leaves the day open"
                # A telephone's keyboard begins with small letters, and has the hyphen elsewhere.
                fill(driver, "/signin", account=f"mary-{size}", passcode=made.lower().replace("-", ""))
                flows.wait(
                    lambda: "/signin" not in driver.current_url, "a made passcode is taken in its own letters alone")
                driver.get(f"{url}/account")
                flows.press(driver, "form[action='/signout'] button")
                faults += [f"household-{size}: console: {one}" for one in flows.console(driver)]
