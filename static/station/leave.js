// A ruling, or a notice: it stays for its least time whatever is pressed, and leaves by a key or by itself.

import { lost } from "./lost.js";
import { home, isChord, isSlow } from "./page.js";

/** Keys that move about, and none of which clears. */
const MOVES = ["Tab", "Shift", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "CapsLock"];

export function leave(body, signal) {
  const since = performance.now();
  const hold = Number(body.dataset.hold ?? 0);
  const clear = Number(body.dataset.clear ?? 0);
  let left = clear;
  const isHeld = () => performance.now() - since < hold;
  const go = () => home().catch(() => lost());

  body.addEventListener("click", (event) => isHeld() && event.target.closest("[data-leave]") && stop(event), { signal });
  body.querySelector("[data-longer]")?.addEventListener("click", () => (left += clear), { signal });
  body.querySelector("[data-repeat]")?.addEventListener("click", () => repeat(body), { signal });
  const typed = (event) => {
    if (isChord(event) || MOVES.includes(event.key)) return;
    const onKey = event.target.closest("button, a, summary");
    if (onKey && (event.key === "Enter" || event.key === " ")) return;
    event.preventDefault();
    if (event.repeat) return;
    if (event.key === "r" || event.key === "R") repeat(body);
    else if (event.key === "+") left += clear;
    else if (!isHeld() && !isSlow()) go();
    else if (event.key === "Escape" && !isHeld()) go();
  };
  document.addEventListener("keydown", typed, { signal });
  if (clear) {
    const shown = body.querySelector("[data-leave] .left");
    const count = () => {
      if (!isSlow()) left -= 1;
      shown.textContent = isSlow() ? "" : Math.max(left, 0);
      if (left <= 0) go();
    };
    left += 1;
    count();
    const counting = setInterval(count, 1000);
    signal.addEventListener("abort", () => clearInterval(counting));
  }
}

function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Says the ruling once more to whoever hears the screen. */
function repeat(body) {
  const said = body.querySelector(".again");
  if (!said) return;
  const parts = [...body.querySelectorAll("#play, #rule, .tiled .unseen")].map((part) => part.textContent);
  said.textContent = "";
  setTimeout(() => (said.textContent = parts.join(". ")), 100);
}
