// Draws a name with a finger or a mouse: the path of an SVG in a hidden field.
"use strict";
(() => {
  const pad = document.getElementById("pad");
  if (!pad || !window.PointerEvent) return;
  const field = document.getElementById("signature");
  const path = pad.querySelector("path");
  const { width, height } = pad.viewBox.baseVal;
  const longest = 20000;
  let stroke = "";
  document.getElementById("drawing").hidden = false;
  const show = () => path.setAttribute("d", field.value + stroke);
  const point = (event) => {
    const box = pad.getBoundingClientRect();
    const within = (part, most) => Math.round(Math.min(1, Math.max(0, part)) * most);
    return `${within((event.clientX - box.left) / box.width, width)} ${
      within((event.clientY - box.top) / box.height, height)}`;
  };
  pad.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    pad.setPointerCapture(event.pointerId);
    stroke = `M${point(event)}`;
  });
  pad.addEventListener("pointermove", (event) => {
    if (!stroke || field.value.length + stroke.length > longest - 20) return;
    stroke += `L${point(event)}`;
    show();
  });
  const finish = () => {
    // A point alone is no line.
    if (stroke.includes("L")) field.value += stroke;
    stroke = "";
    show();
  };
  pad.addEventListener("pointerup", finish);
  pad.addEventListener("pointercancel", finish);
  document.getElementById("clear").addEventListener("click", () => {
    field.value = "";
    stroke = "";
    show();
  });
})();
