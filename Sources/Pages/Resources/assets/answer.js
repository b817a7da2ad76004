// Shows what the link of a message does. The link's token stands behind the # of the address, which is
// never sent by itself; nothing is answered before somebody presses the button.
"use strict";
(() => {
  const place = document.getElementById("answer");
  if (!place) return;
  let isPressed = false;
  document.addEventListener("click", (event) => {
    isPressed = event.isTrusted;
  }, true);
  document.addEventListener("submit", (event) => {
    if (!isPressed) event.preventDefault();
  }, true);
  if (!("asks" in place.dataset)) return;
  const token = new URLSearchParams(location.hash.slice(1)).get("t");
  fetch(location.pathname, {
    method: "POST", body: new URLSearchParams({ t: token || "" }), credentials: "omit", cache: "no-store",
    referrerPolicy: "no-referrer",
  }).then((answer) => answer.text()).then((text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    document.documentElement.lang = page.documentElement.lang;
    const shown = page.getElementById("answer");
    if (shown) place.replaceChildren(...shown.childNodes);
  });
})();
