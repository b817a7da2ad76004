"""Every page as people see it who need large letters: a browser's text of 32 px, and a zoom of 200 %."""

# The name of a look, its window, and the browser's text in px.
LOOKS = {"text32": ((390, 844), 32), "zoom200": ((640, 450), None)}
# Letters that stay small where the others grow, and bars of pages whose words run into each other. The days of a
# week stand in one line, however large the letters are.
LETTERS = """
const faults = [];
const size = (element) => parseFloat(getComputedStyle(element).fontSize);
const body = size(document.body);
for (const element of document.querySelectorAll("main :is(p, label, button, a:not(.day), input, select, th, td, dt, dd, small, summary)")) {
  if (element.checkVisibility() && size(element) < 0.7 * body) {
    faults.push(`${size(element)} px beside ${body}: ${element.outerHTML.slice(0, 100)}`);
  }
}
const words = (link) => {
  const range = document.createRange();
  range.selectNodeContents(link);
  return range.getBoundingClientRect();
};
const bar = Array.from(document.querySelectorAll(".nav a"), words);
for (let place = 1; place < bar.length; place += 1) {
  if (bar[place - 1].right > bar[place].left + 1 && bar[place - 1].bottom > bar[place].top + 1) {
    faults.push(`the words of the bar overlap at ${place}`);
  }
}
return faults;
"""


def walk(box, pages, browser, options, layout, screenshot, faults):
    """Opens every page in every look and language."""
    for look, (size, text) in LOOKS.items():
        with browser(size, text) as driver:
            for language in options.languages:
                for page, address in pages.items():
                    joint = "&" if "?" in address else "?"
                    driver.get(f"{box.url}{address}{joint}lang={language}")
                    name = f"{page}-{look}-{language}"
                    faults += [f"{name}: {fault}" for fault in driver.execute_script(layout)]
                    faults += [f"{name}: {fault}" for fault in driver.execute_script(LETTERS)]
                    if options.screenshots:
                        screenshot(driver, options.screenshots / f"{name}.png", size)
