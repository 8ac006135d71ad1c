// A ruling, or a notice: it stays for its least time whatever is pressed, and leaves by a key or by itself.

import { goHome, isPending } from "./lost.js";
import { FRESH_MS, ahead, isChord, isSlow, refuse } from "./page.js";

/** Keys that move about, and none of which clears. */
const MOVES = ["Tab", "Shift", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "CapsLock"];

export function leave(body, signal) {
  const since = performance.now();
  const hold = Number(body.dataset.hold ?? 0);
  const clear = Number(body.dataset.clear ?? 0);
  let left = clear;
  let isLeaving = false;
  const isHeld = () => performance.now() - since < hold;
  const go = () => {
    // What was asked for is answered first.
    if (isLeaving || body.dataset.sent || isPending()) return;
    isLeaving = true;
    goHome();
  };
  const follow = (event) => {
    if (!event.target.closest("[data-leave]")) return;
    refuse(event);
    if (!isHeld()) go();
  };
  body.addEventListener("click", follow, { signal, capture: true });
  // What is asked for after a ruling is asked by a press that has seen it.
  const tooSoon = (event) => performance.now() - since < FRESH_MS && refuse(event);
  if (body.dataset.screen === "ruling") body.addEventListener("submit", tooSoon, { signal, capture: true });
  body.querySelector("[data-longer]")?.addEventListener("click", () => (left += clear), { signal });
  body.querySelector("[data-repeat]")?.addEventListener("click", () => repeat(body), { signal });

  const typed = (event) => {
    const { key, target } = event;
    if (isChord(event)) return;
    if (isLeaving) {
      event.preventDefault();
      if (!event.repeat) ahead.push(key);
      return;
    }
    if (MOVES.includes(key)) return;
    if (target.closest("button, a, summary") && (key === "Enter" || key === " ")) return;
    event.preventDefault();
    if (event.repeat) return;
    if (key === "r" || key === "R") repeat(body);
    else if (key === "+") left += clear;
    else if (!isHeld() && (key === "Escape" || !(isSlow() || "keep" in body.dataset))) go();
  };
  document.addEventListener("keydown", typed, { signal });
  if (clear) {
    const shown = body.querySelector("[data-leave] .left");
    const count = () => {
      shown.textContent = isSlow() ? "" : Math.max(left, 0);
      if (left <= 0) go();
      if (!isSlow()) left -= 1;
    };
    count();
    const counting = setInterval(count, 1000);
    signal.addEventListener("abort", () => clearInterval(counting));
  }
}

/** Says the ruling once more to whoever hears the screen. */
function repeat(body) {
  const said = body.querySelector(".again");
  if (!said) return;
  const parts = [...body.querySelectorAll("#play, #rule, .tiled .unseen")].map((part) => part.textContent);
  said.textContent = "";
  setTimeout(() => (said.textContent = parts.join(". ")), 100);
}
