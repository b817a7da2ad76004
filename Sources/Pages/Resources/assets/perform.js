// Records a test on the screen: tapping with two fingers, or reaction time. The server computes.
"use strict";
(() => {
  const box = document.getElementById("perform");
  if (!box) return;
  const texts = JSON.parse(box.dataset.texts);
  const said = document.getElementById("perform-said");
  const start = document.getElementById("perform-start");
  const stage = document.getElementById("stage");
  const say = (key, values) => {
    said.textContent = Object.entries(values || {}).reduce(
      (text, [name, value]) => text.replaceAll(`{${name}}`, String(value)), texts[key]);
  };
  // Milliseconds since the page was opened: a browser gives events the time at which they happened.
  const opened = performance.now();
  const time = (event) => {
    const now = performance.now();
    const stamp = event && event.timeStamp > 0 && event.timeStamp <= now ? event.timeStamp : now;
    return Math.max(0, Math.round((stamp - opened) * 1000) / 1000);
  };
  const send = (result) => {
    say("saving");
    stage.hidden = true;
    document.getElementById("performance").value = JSON.stringify(result);
    document.getElementById("perform-form").submit();
  };
  const show = (isRunning) => {
    stage.hidden = !isRunning;
    start.hidden = isRunning;
    if (isRunning) stage.scrollIntoView({ block: "center" });
  };

  // Tapping: each hand for so many seconds from its first tap.
  const tapping = () => {
    const seconds = Number(box.dataset.seconds);
    const hands = box.dataset.hands.split(" ");
    if (hands.length > 1 && Math.random() < 0.5) hands.reverse();
    const trials = [];
    let taps = null;
    const keys = { KeyF: "left", ArrowLeft: "left", KeyJ: "right", ArrowRight: "right" };

    const clock = document.getElementById("perform-clock");
    let ticking = 0;
    const tick = (end) => {
      const left = Math.max(0, end - performance.now()) / 1000;
      clock.textContent = texts.clock.replace("{seconds}", left.toFixed(1));
    };

    const announce = () => say(hands.length ? `ready_${hands[0]}` : "saving", { seconds });
    const finish = () => {
      // The times of a finger and of a key come by different ways, and may be out of order.
      trials.push({ hand: hands.shift(), taps: taps.sort((one, other) => one.at - other.at) });
      taps = null;
      clearInterval(ticking);
      announce();
      // A finger that still taps must not press what takes the place of the pads.
      stage.classList.add("over");
      setTimeout(() => {
        stage.classList.remove("over");
        clock.hidden = true;
        if (hands.length === 0) {
          send({ trials });
          return;
        }
        show(false);
        start.focus();
      }, 1500);
    };
    const tap = (event, button) => {
      if (!taps || taps.length >= 1000) return;
      const at = time(event);
      if (taps.length === 0) {
        say("running", { seconds });
        const end = performance.now() + seconds * 1000;
        ticking = setInterval(() => tick(end), 100);
        setTimeout(finish, seconds * 1000 + 100);
      }
      taps.push(button ? { at, button } : { at });
    };
    const pressed = (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      const pad = event.target.closest("[data-button]");
      tap(event, pad ? pad.dataset.button : null);
      if (pad && taps) flash(pad);
    };
    const flash = (pad) => {
      pad.classList.add("hit");
      setTimeout(() => pad.classList.remove("hit"), 80);
    };
    stage.addEventListener("pointerdown", pressed);
    stage.addEventListener("contextmenu", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => {
      if (!taps || event.ctrlKey || event.altKey || event.metaKey) return;
      const button = keys[event.code];
      if (!button) return;
      event.preventDefault();
      if (event.repeat) return;
      tap(event, button);
      flash(stage.querySelector(`[data-button=${button}]`));
    });
    start.addEventListener("click", () => {
      taps = [];
      clock.hidden = false;
      tick(performance.now() + seconds * 1000);
      show(true);
      say(`begin_${hands[0]}`, { seconds });
    });
    announce();
  };

  // Reaction time: a signal after 2 to 5 s, until so many attempts have succeeded.
  const reactionTime = () => {
    const wanted = Number(box.dataset.attempts);
    const signal = document.getElementById("signal");
    const label = document.getElementById("signal-text");
    const attempts = [];
    let succeeded = 0;
    let state = "idle";
    let shown = null;
    let timer = 0;

    const look = (name) => {
      state = name;
      signal.classList.toggle("go", name === "go");
      label.textContent = texts[`signal_${name}`] || "";
    };
    const next = () => {
      shown = null;
      look("wait");
      say("attempt", { number: succeeded + 1, count: wanted });
      timer = setTimeout(go, 2000 + Math.random() * 3000);
    };
    const go = () => {
      // The time of the frame in which it is drawn.
      requestAnimationFrame(() => {
        look("go");
        shown = time();
        timer = setTimeout(() => end(null, "late"), 3000);
      });
    };
    const end = (pressed, verdict) => {
      clearTimeout(timer);
      attempts.push({ shown, pressed });
      if (verdict === "done") succeeded += 1;
      if (succeeded >= wanted || attempts.length >= Math.min(100, wanted * 4)) {
        send({ attempts });
        return;
      }
      look("pause");
      say(verdict, { milliseconds: pressed === null || shown === null ? "" : Math.round(pressed - shown) });
      timer = setTimeout(next, verdict === "done" ? 1000 : 2000);
    };
    const press = (event) => {
      if (state === "wait") end(time(event), "early");
      else if (state === "go") {
        const pressed = time(event);
        end(pressed, pressed - shown < 100 ? "early" : "done");
      }
    };
    stage.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      press(event);
    });
    stage.addEventListener("contextmenu", (event) => event.preventDefault());
    document.addEventListener("keydown", (event) => {
      if (stage.hidden || (event.code !== "Space" && event.code !== "Enter")) return;
      event.preventDefault();
      if (!event.repeat) press(event);
    });
    start.addEventListener("click", () => {
      show(true);
      signal.focus();
      next();
    });
    say("readyReaction", { count: wanted });
  };

  box.hidden = false;
  if (box.dataset.kind === "tapping") tapping();
  else reactionTime();
})();
