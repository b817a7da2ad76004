// Shows what a session measures while it runs. Everything works without it.
"use strict";
(() => {
  const panel = () => document.getElementById("measure");
  const part = (name) => document.querySelector(`#measure [data-${name}]`);
  const longest = 250;

  // The last ten seconds of the signal.
  let values = [];
  let isAngle = true;
  const draw = () => {
    const line = part("trace");
    if (!line) return;
    let [low, high] = isAngle ? [0, 300] : [800, 1200];
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    const first = longest - values.length;
    const points = values.map((value, place) => {
      const x = (first + place) * 300 / (longest - 1);
      const y = 78 - (value - low) * 76 / (high - low);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    line.setAttribute("points", points.join(" "));
  };

  // Tones and words, each only once a person has asked for it.
  let tones = null;
  let speaks = false;
  const tone = (pitch, seconds) => {
    if (!tones) return;
    const [source, volume, start] = [tones.createOscillator(), tones.createGain(), tones.currentTime];
    source.frequency.value = pitch;
    volume.gain.setValueAtTime(0.25, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    source.connect(volume).connect(tones.destination);
    source.start(start);
    source.stop(start + seconds);
  };
  const say = (words) => {
    if (!speaks || !words || !("speechSynthesis" in window)) return;
    const speech = new SpeechSynthesisUtterance(words);
    speech.lang = document.documentElement.lang;
    speechSynthesis.cancel();
    speechSynthesis.speak(speech);
  };
  const sound = (cue) => {
    const words = document.getElementById("sounds");
    if (!words) return;
    switch (cue.cue) {
      case "countdown":
        if (cue.seconds > 3) return;
        tone(660, 0.15);
        say(String(cue.seconds));
        break;
      case "start":
        tone(990, 0.6);
        say(words.dataset.start);
        break;
      case "halfway":
        tone(660, 0.3);
        say(words.dataset.halfway);
        break;
      case "stop":
        tone(440, 0.8);
        say(words.dataset.stop);
        break;
      case "tooEarly":
        tone(330, 0.4);
        say(words.dataset.tooEarly);
        break;
    }
  };

  const fill = (text, numbers) => text.replace(/\{(\w+)\}/g, (all, name) => numbers[name] ?? all);

  // Shows one message of the stream; another state is another page.
  let shownState = null;
  const show = (session) => {
    isAngle = session.signal.unit === "decidegree";
    values = values.concat(session.signal.values).slice(-longest);
    draw();
    session.cues.forEach(sound);
    if (session.state !== shownState && session.state === "verdict") {
      // The words of the result are read when the page has them.
      setTimeout(() => say(panel() && panel().dataset.says), 1500);
    }
    shownState = session.state;
    if (!panel() || panel().dataset.state !== session.state) {
      document.dispatchEvent(new Event("measured-refresh"));
      return;
    }
    const live = document.querySelector("#measure .live");
    if (!live) return;
    const figure = session.figure;
    const isTime = !figure || figure.kind === "time";
    const number = isTime ? session.secondsLeft ?? (figure ? figure.value : 0) : figure.value;
    part("number").textContent = number;
    let detail = "";
    if (figure && figure.minimum !== undefined) {
      detail = fill(live.dataset.rangeText, figure);
    } else if (figure && !isTime && session.secondsLeft !== undefined) {
      detail = fill(live.dataset.leftText, { seconds: session.secondsLeft });
    }
    part("detail").textContent = detail;
  };

  let stream = null;
  let address = null;
  const follow = () => {
    const wanted = panel() && !document.hidden ? panel().dataset.stream || null : null;
    if (wanted === address) return;
    if (stream) stream.close();
    stream = null;
    address = wanted;
    values = [];
    shownState = panel() ? panel().dataset.state : null;
    if (!wanted || !("EventSource" in window)) return;
    stream = new EventSource(wanted);
    stream.onmessage = (event) => {
      const session = JSON.parse(event.data);
      show(session);
      if (["kept", "cancelled", "abandoned"].includes(session.state)) stream.close();
    };
    stream.onerror = () => {
      // An ended session is no longer there; the page says how it ended.
      if (stream && stream.readyState === EventSource.CLOSED) {
        document.dispatchEvent(new Event("measured-refresh"));
      }
    };
  };

  const toggle = (name, change) => {
    const button = document.querySelector(`#sounds [data-${name}]`);
    if (!button) return;
    button.addEventListener("click", () => {
      const isOn = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isOn));
      change(isOn);
    });
  };
  const sounds = document.getElementById("sounds");
  if (sounds) sounds.hidden = false;
  toggle("sound", (isOn) => {
    if (tones) tones.close();
    tones = isOn && "AudioContext" in window ? new AudioContext() : null;
    tone(660, 0.15);
  });
  toggle("voice", (isOn) => {
    speaks = isOn;
    if (isOn) say(panel() && panel().dataset.says);
    else if ("speechSynthesis" in window) speechSynthesis.cancel();
  });

  const content = document.getElementById("content");
  if (content) new MutationObserver(follow).observe(content, { childList: true, subtree: true });
  document.addEventListener("visibilitychange", follow);
  follow();
})();
