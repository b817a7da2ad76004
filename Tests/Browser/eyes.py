"""Every page as people see it who need large letters: a browser's text of 32 px, and a zoom of 200 %."""

# The name of a look, its window, and the browser's text in px.
LOOKS = {"text32": ((390, 844), 32), "zoom200": ((640, 450), None)}
# Letters that stay small where the others grow, and bars of pages whose words run into each other. The days of a
# week stand in one line, however large the letters are.
LETTERS = r"""
const faults = [];
const size = (element) => parseFloat(getComputedStyle(element).fontSize);
const body = size(document.body);
for (const element of document.querySelectorAll("main :is(p, label, button, a:not(.day), input, select, th, td, dt, dd, small, summary)")) {
  if (element.checkVisibility() && size(element) < 0.7 * body) {
    faults.push(`${size(element)} px beside ${body}: ${element.outerHTML.slice(0, 100)}`);
  }
}
// A short word that is broken, and words of neighbours that run into each other.
const range = document.createRange();
const short = /(?<![:\p{L}\p{N}])(?:\p{Script=Latin}{2,14}|[−-]?\d[\d.]{0,4}°?)(?![:.\p{L}\p{N}])/gu;
for (const element of document.querySelectorAll("main :is(h1, h2, h3, dt, dd, th, td, .glyph, .slot, .preview)")) {
  if (!element.checkVisibility()) continue;
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const word of texts.currentNode.data.matchAll(short)) {
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      const lines = new Set(Array.from(range.getClientRects(), (line) => Math.round(line.top)));
      if (lines.size > 1) faults.push(`broken: ${word[0]} in ${element.outerHTML.slice(0, 100)}`);
    }
  }
}
for (const day of document.querySelectorAll(".preview li")) {
  if (day.scrollWidth > day.clientWidth + 1) faults.push(`a day runs over: ${day.outerHTML.slice(0, 100)}`);
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
                    # Names of programs' things have no other place to break.
                    faults += [
                        f"{name}: {fault}" for fault in driver.execute_script(LETTERS)
                        if page != "reference" or not fault.startswith("broken")]
                    if options.screenshots:
                        screenshot(driver, options.screenshots / f"{name}.png", size)
