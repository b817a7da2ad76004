// Keeps the open page up to date. Everything works without it.
"use strict";
(() => {
  const typed = new WeakSet();
  const seen = new Map();
  let isRunning = false;
  let isWanted = false;

  const parts = (page) => Array.from(page.querySelectorAll("[data-live]"));
  const html = (part) => part.outerHTML;
  const announce = (words) => {
    const region = document.getElementById("announcement");
    if (region && words.length > 0) region.textContent = words.join(" ");
  };
  const remember = (page) => {
    seen.clear();
    for (const part of parts(page)) seen.set(part.id, html(part));
  };

  // Where the focus is, so that it can be found in a part that took the place of another.
  const focusIn = (part) => {
    const active = document.activeElement;
    if (!active || !part.contains(active)) return null;
    const all = Array.from(part.querySelectorAll("a, button, input, select, textarea, summary"));
    return all.indexOf(active);
  };
  const refocus = (part, place) => {
    if (place === null) return;
    const all = part.querySelectorAll("a, button, input, select, textarea, summary");
    const target = all[Math.min(Math.max(place, 0), all.length - 1)];
    if (target) target.focus({ preventScroll: true });
  };

  // What was typed into one part, into another one; hidden fields stay the fresh part's own.
  const copyEntries = (old, part) => {
    for (const entry of old.querySelectorAll("input:not([type=hidden]), select, textarea")) {
      const isChoice = entry.type === "radio" || entry.type === "checkbox";
      for (const field of part.querySelectorAll("input:not([type=hidden]), select, textarea")) {
        if (field.name !== entry.name || (isChoice && field.value !== entry.value)) continue;
        if (isChoice) field.checked = entry.checked;
        else field.value = entry.value;
        break;
      }
    }
  };

  // Takes a fresh part in place of an old one, with its open sections and the focus.
  const replace = (old, fresh, isMarked, keepsEntries) => {
    const place = focusIn(old);
    const open = Array.from(old.querySelectorAll("details"), (details) => details.open);
    const part = document.importNode(fresh, true);
    part.querySelectorAll("details").forEach((details, index) => {
      if (open[index]) details.open = true;
    });
    if (keepsEntries) copyEntries(old, part);
    if (isMarked) part.classList.add("fresh");
    old.replaceWith(part);
    refocus(part, place);
  };

  // Replaces what differs between the page shown and `page`, and says what changed.
  const update = (page, isForced, keepsEntries) => {
    const root = document.querySelector("[data-live-root]");
    const freshRoot = page.querySelector("[data-live-root]");
    if (!root || !freshRoot) return false;
    const words = [];
    const fresh = parts(freshRoot);
    const ids = parts(root).map((part) => part.id).join(" ");
    const isHalfFilled = !isForced && parts(root).concat(root).some((part) => typed.has(part));
    for (const part of fresh) {
      if (seen.get(part.id) !== html(part) && part.dataset.says) words.push(part.dataset.says);
    }
    if (ids !== fresh.map((part) => part.id).join(" ")) {
      if (isHalfFilled) return true;
      replace(root, freshRoot, false, keepsEntries);
    } else {
      for (const part of fresh) {
        const old = document.getElementById(part.id);
        if (!old || seen.get(part.id) === html(part)) continue;
        if (!isForced && typed.has(old)) continue;
        replace(old, part, true, keepsEntries);
      }
    }
    remember(page);
    announce(words);
    return true;
  };

  const parse = async (response) =>
    new DOMParser().parseFromString(await response.text(), "text/html");

  const refresh = async () => {
    if (isRunning) {
      isWanted = true;
      return;
    }
    isRunning = true;
    try {
      const address = new URL(location.href);
      address.searchParams.delete("notice");
      const response = await fetch(address, { headers: { Accept: "text/html" } });
      if (response.ok && !response.redirected) update(await parse(response), false);
    } catch {
      // The next message asks again.
    } finally {
      isRunning = false;
      if (isWanted) {
        isWanted = false;
        refresh();
      }
    }
  };

  // Shows the answer to a form in the page; a page of another address is gone to.
  const show = async (response) => {
    const address = new URL(response.url);
    if (response.redirected && address.pathname !== location.pathname) {
      location.assign(address);
      return;
    }
    const page = await parse(response);
    const notice = document.getElementById("notice");
    const freshNotice = page.getElementById("notice");
    const isRefused = !response.ok || Boolean(freshNotice && freshNotice.querySelector(".refusal"));
    if (!notice || !freshNotice || !update(page, true, isRefused)) {
      location.reload();
      return;
    }
    notice.replaceChildren(...Array.from(freshNotice.childNodes, (node) => document.importNode(node, true)));
    if (response.redirected) history.replaceState(null, "", address);
    if (isRefused) notice.scrollIntoView({ block: "center" });
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.method !== "post" || form.enctype === "multipart/form-data" || event.defaultPrevented) return;
    event.preventDefault();
    const button = event.submitter;
    const data = button ? new FormData(form, button) : new FormData(form);
    const action = button && button.hasAttribute("formaction") ? button.formAction : form.action;
    if (button) button.classList.add("wait");
    try {
      await show(
        await fetch(action, {
          method: "POST", body: new URLSearchParams(data), headers: { Accept: "text/html" },
        }));
    } catch {
      form.submit();
    } finally {
      if (button) button.classList.remove("wait");
    }
  });

  document.addEventListener("input", (event) => {
    const part = event.target.closest("[data-live], [data-live-root]");
    if (part) typed.add(part);
  });

  // An open list of people closes with Escape and with a press outside of it.
  const people = () => document.querySelector("details.people[open]");
  document.addEventListener("keydown", (event) => {
    const list = event.key === "Escape" ? people() : null;
    if (!list) return;
    list.open = false;
    list.querySelector("summary").focus();
  });
  document.addEventListener("click", (event) => {
    const list = people();
    if (list && !list.contains(event.target)) list.open = false;
  });

  remember(document);
  if (document.querySelector("[data-live]") && "EventSource" in window) {
    const changes = new EventSource("/changes");
    changes.onmessage = refresh;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) refresh();
    });
  }
})();
