// Hides what another answer leaves without use, and shows when a task is due while its schedule is being
// filled in. Everything works without it.
"use strict";
(() => {
  const asked = Array.from(document.querySelectorAll("[data-asked]"));
  if (!asked.length) return;
  const form = asked[0].closest("form");
  const hide = () => {
    const data = new FormData(form);
    for (const place of asked) {
      place.hidden = !place.dataset.answers.split(" ").includes(data.get(place.dataset.asked) || "");
    }
  };
  form.addEventListener("input", hide);
  hide();
})();
(() => {
  const form = document.querySelector("form[data-preview]");
  const button = form && form.querySelector("[data-preview-button]");
  if (!button) return;
  const place = document.getElementById(form.dataset.preview);
  button.hidden = true;

  let timer = 0;
  let latest = 0;
  const show = async () => {
    const number = ++latest;
    const data = new FormData(form);
    data.set("go", "preview");
    try {
      const response = await fetch(form.action, {
        method: "POST", body: new URLSearchParams(data), headers: { Accept: "text/html" },
      });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.getElementById(form.dataset.preview);
      // A later change has its own answer.
      if (fresh && number === latest) place.replaceChildren(...Array.from(fresh.childNodes, (node) => document.importNode(node, true)));
    } catch {
      button.hidden = false;
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 300);
  });
})();
// Proposes the browser's time zone where one is asked for.
(() => {
  const template = document.getElementById("browser-zone");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!template || !zone) return;
  for (const field of document.querySelectorAll("input[name=zone]:not([type=hidden])")) {
    if (field.value === zone) continue;
    const proposal = template.content.cloneNode(true);
    const button = proposal.querySelector("button");
    proposal.querySelector("b").textContent = zone;
    button.addEventListener("click", () => {
      field.value = zone;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      button.remove();
    });
    field.after(proposal);
  }
})();
