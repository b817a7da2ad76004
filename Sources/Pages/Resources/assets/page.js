// Keeps the open page up to date. Everything works without it.
"use strict";
(() => {
  const script = document.currentScript.src;
  // The HTML of the parts as shown, and as last received: they differ while a form is half filled.
  const shown = new Map();
  const received = new Map();

  const parts = (page) => Array.from(page.querySelectorAll("[data-live]"));
  const html = (part) => part.outerHTML;
  const announce = (words) => {
    const region = document.getElementById("announcement");
    if (region && words.length > 0) region.textContent = words.join(" ");
  };

  const fields = "input:not([type=hidden]), select, textarea";
  const isChanged = (field) => {
    if (field.type === "radio" || field.type === "checkbox") return field.checked !== field.defaultChecked;
    if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
    // A list without a chosen entry shows its first.
    const chosen = Array.from(field.options).findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(chosen, 0);
  };
  const isHalfFilled = (part) => Array.from(part.querySelectorAll(fields)).some(isChanged);

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

  // Copies the entries of one part into the same fields of another one.
  const copyEntries = (old, part) => {
    const key = (field) => {
      const choice = field.type === "radio" || field.type === "checkbox" ? field.value : "";
      return [field.form && field.form.getAttribute("action"), field.name, choice].join(" ");
    };
    const entries = new Map();
    for (const field of old.querySelectorAll(fields)) if (isChanged(field)) entries.set(key(field), field);
    for (const field of part.querySelectorAll(fields)) {
      const entry = entries.get(key(field));
      if (!entry) continue;
      // The name of a chosen file cannot be set, the file can.
      if (field.type === "file") {
        field.files = entry.files;
        continue;
      }
      field.checked = entry.checked;
      field.value = entry.value;
    }
  };

  // A part stays in its place while something above comes or goes: the one that was pressed or is pointed
  // at, else the one in the middle of the window.
  const held = () => {
    const active = document.activeElement && document.activeElement.closest("[data-live]");
    const inView = Array.from(document.querySelectorAll("[data-live][id]"), (part) => {
      const top = part.getBoundingClientRect().top;
      const isFirst = part === active || part.matches(":hover");
      return { id: part.id, top, away: isFirst ? -1 : Math.abs(top - innerHeight / 2) };
    }).filter((part) => part.top >= 0 && part.top < innerHeight);
    return inView.sort((a, b) => a.away - b.away);
  };
  const hold = (places) => {
    const place = places.find(({ id }) => document.getElementById(id));
    if (!place) return;
    const moved = document.getElementById(place.id).getBoundingClientRect().top - place.top;
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
  };

  // A video that was begun goes over to the fresh part; returns those that were playing.
  const keepFilms = (old, part) => {
    const address = (film) => film.querySelector("source") && film.querySelector("source").getAttribute("src");
    const fresh = Array.from(part.querySelectorAll("video"));
    const playing = [];
    for (const film of old.querySelectorAll("video")) {
      const place = fresh.find((other) => address(other) === address(film));
      if (!place || film.currentTime === 0) continue;
      if (!film.paused) playing.push(film);
      place.replaceWith(film);
    }
    return playing;
  };

  // Takes a fresh part in place of an old one, with its open sections and the focus.
  const replace = (old, fresh, isMarked) => {
    const place = focusIn(old);
    const open = Array.from(old.querySelectorAll("details"), (details) => details.open);
    const part = document.importNode(fresh, true);
    part.querySelectorAll("details").forEach((details, index) => {
      if (open[index]) details.open = true;
    });
    copyEntries(old, part);
    const playing = keepFilms(old, part);
    if (isMarked) part.classList.add("fresh");
    old.replaceWith(part);
    for (const film of playing) film.play().catch(() => {});
    refocus(part, place);
  };

  // Replaces what differs between the page shown and `page`, and says what changed.
  const update = (page, isForced) => {
    const root = document.querySelector("[data-live-root]");
    const freshRoot = page.querySelector("[data-live-root]");
    if (!root || !freshRoot) return false;
    const words = [];
    const places = held();
    const fresh = parts(freshRoot);
    const ids = parts(root).map((part) => part.id).join(" ");
    for (const part of fresh) {
      if (received.get(part.id) !== html(part) && part.dataset.says) words.push(part.dataset.says);
      received.set(part.id, html(part));
    }
    if (ids !== fresh.map((part) => part.id).join(" ")) {
      if (isForced || !isHalfFilled(root)) {
        replace(root, freshRoot, false);
        shown.clear();
        for (const part of fresh) shown.set(part.id, html(part));
      }
    } else {
      for (const part of fresh) {
        const old = document.getElementById(part.id);
        if (!old || shown.get(part.id) === html(part)) continue;
        if (!isForced && isHalfFilled(old)) continue;
        replace(old, part, true);
        shown.set(part.id, html(part));
      }
    }
    hold(places);
    announce(words);
    return true;
  };

  // The page's own address: a page that answered a form has the form's, which cannot be asked for.
  const own = () => {
    const root = document.querySelector("[data-page]");
    const address = new URL(root ? root.dataset.page : location.href, location.href);
    return address.pathname === location.pathname ? new URL(location.href) : address;
  };
  const reload = () => {
    if (own().pathname === location.pathname) location.reload();
    else location.assign(own());
  };

  const parse = async (response) =>
    new DOMParser().parseFromString(await response.text(), "text/html");

  // Fetches the page again: at once, but at most once a second under a stream of changes.
  const pause = 1000;
  let lastStart = -pause;
  let timer = 0;
  let isRunning = false;
  let isWanted = false;
  let answers = 0;
  const refresh = () => {
    if (isRunning) isWanted = true;
    else if (!timer) timer = setTimeout(run, Math.max(0, lastStart + pause - performance.now()));
  };
  const run = async () => {
    timer = 0;
    isRunning = true;
    isWanted = false;
    lastStart = performance.now();
    const known = answers;
    try {
      const address = own();
      address.searchParams.delete("notice");
      const response = await fetch(address, { headers: { Accept: "text/html" } });
      const page = await parse(response);
      // The answer to a form is newer than a page that was asked for before it.
      if (response.ok && !response.redirected && known === answers) update(page, false);
    } catch {
      // The next message asks again.
    }
    isRunning = false;
    if (isWanted) refresh();
  };

  // A form that did its work is empty and folded again.
  const close = (form) => {
    form.reset();
    const folded = form.closest("details");
    if (!folded) return;
    if (folded.contains(document.activeElement)) folded.querySelector("summary").focus();
    folded.open = false;
  };

  // A step that was done can be undone for a minute; a refusal stays.
  let forgetting = 0;
  const forget = (notice) => {
    clearTimeout(forgetting);
    forgetting = setTimeout(() => {
      if (notice.querySelector(".refusal")) return;
      if (notice.contains(document.activeElement)) forget(notice);
      else notice.replaceChildren();
    }, 60000);
  };

  // Shows the answer to a form in the page; a page of another address is gone to.
  const show = async (response, form) => {
    const address = new URL(response.url);
    if (response.redirected && address.pathname !== own().pathname) {
      location.assign(address);
      return;
    }
    const page = await parse(response);
    answers += 1;
    const notice = document.getElementById("notice");
    const freshNotice = page.getElementById("notice");
    const places = held();
    const isRefused = !response.ok || Boolean(freshNotice && freshNotice.querySelector(".refusal"));
    if (!isRefused) close(form);
    if (!notice || !freshNotice || !update(page, true)) {
      reload();
      return;
    }
    notice.replaceChildren(...Array.from(freshNotice.childNodes, (node) => document.importNode(node, true)));
    hold(places);
    forget(notice);
    if (response.redirected) history.replaceState(null, "", address);
    if (isRefused) notice.scrollIntoView({ block: "center" });
  };

  // Without a connection a form waits, and says so, until it is sent. Only a page that cannot say it lets
  // the browser send it.
  const plain = new WeakSet();
  const retry = 4000;
  const connection = () => new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener("online", go);
      resolve();
    };
    const timer = setTimeout(go, retry);
    window.addEventListener("online", go);
  });
  const post = async (action, body) => {
    const notice = document.getElementById("notice");
    const offline = document.getElementById("offline");
    for (let isSaid = false; ; ) {
      try {
        return await fetch(action, { method: "POST", body, headers: { Accept: "text/html" } });
      } catch (error) {
        if (!notice || !offline) throw error;
        if (!isSaid) notice.replaceChildren(offline.content.cloneNode(true));
        isSaid = true;
        await connection();
      }
    }
  };
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (plain.delete(form) || event.defaultPrevented || "plain" in form.dataset) return;
    const isMultipart = form.enctype === "multipart/form-data";
    if (form.method !== "post" || (isMultipart && !("files" in form.dataset))) return;
    event.preventDefault();
    const button = event.submitter;
    const data = button ? new FormData(form, button) : new FormData(form);
    const action = button && button.hasAttribute("formaction") ? button.formAction : form.action;
    if (button) button.classList.add("wait");
    let response;
    try {
      response = await post(action, isMultipart ? data : new URLSearchParams(data));
    } catch {
      plain.add(form);
      form.requestSubmit(button);
      return;
    }
    try {
      await show(response, form);
    } catch {
      reload();
    } finally {
      if (button) button.classList.remove("wait");
    }
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

  // A press on a chart says the value that is nearest to it, as the table below has it.
  document.addEventListener("click", (event) => {
    const chart = event.target.closest("svg.chart");
    const figure = chart && chart.closest(".figure");
    const rows = figure ? figure.querySelectorAll("table tbody tr") : [];
    if (rows.length === 0) return;
    let [nearest, least] = [null, 44];
    for (const mark of chart.querySelectorAll("[data-row]")) {
      const box = mark.getBoundingClientRect();
      const away = Math.hypot(
        Math.max(box.left - event.clientX, 0, event.clientX - box.right),
        Math.max(box.top - event.clientY, 0, event.clientY - box.bottom));
      if (away < least) [nearest, least] = [mark, away];
    }
    const row = nearest && rows[Number(nearest.dataset.row)];
    if (!row) return;
    for (const mark of figure.querySelectorAll(".chosen")) mark.classList.remove("chosen");
    nearest.classList.add("chosen");
    let said = figure.querySelector(".told");
    if (!said) {
      said = document.createElement("p");
      said.className = "told";
      said.setAttribute("role", "status");
      chart.parentNode.insertBefore(said, figure.querySelector("details"));
    }
    const heads = Array.from(figure.querySelectorAll("table thead th"), (head) => head.textContent);
    const cells = Array.from(row.children, (cell) => cell.textContent);
    const values = cells.slice(1).map((cell, place) => [heads[place + 1], cell])
      .filter(([, cell]) => cell !== "–").map((pair) => pair.join(" "));
    said.textContent = [cells[0], ...values].join(" · ");
  });

  // On paper every sheet after the first says whose it is and of when, in its margin.
  const running = [".top h1", ".top .print-only", ".top .kicker"]
    .map((part) => document.querySelector(part)).filter(Boolean).map((part) => part.textContent);
  document.documentElement.style.setProperty("--running", JSON.stringify(running.join(" · ")));

  // Another script knows of something that the store does not hold.
  document.addEventListener("measured-refresh", refresh);

  for (const part of parts(document)) {
    shown.set(part.id, html(part));
    received.set(part.id, html(part));
  }

  const notice = document.getElementById("notice");
  if (notice) forget(notice);

  // A hidden page needs no stream: browsers allow few to one server.
  let changes = null;
  // Below the path of a proxy everything has that before it.
  const stream = new URL("../changes", script);
  const listen = () => {
    if (changes || document.hidden) return;
    changes = new EventSource(stream);
    changes.onmessage = refresh;
    // Browsers reconnect on their own, except after an answer that is no stream.
    changes.onerror = () => {
      if (!changes || changes.readyState !== EventSource.CLOSED) return;
      changes = null;
      setTimeout(listen, 3000);
    };
  };
  if (document.querySelector("[data-live]") && "EventSource" in window) {
    listen();
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) {
        listen();
      } else if (changes) {
        changes.close();
        changes = null;
      }
    });
  }
})();
