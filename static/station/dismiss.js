// A ruling, or a notice: it stays for its least time whatever is pressed, and leaves by a key or by itself. The screens that
// open from a ruling lead back to it.

import { goHome, isPending } from "./connection.js";
import { FRESH_MS, cancel, hasExtraTime, isChord, typeAhead } from "./page.js";

/** So long a ruling fills the whole screen. */
const FULL_SCREEN_MS = 1000;

/** Keys that scroll or change what others type: they act on nothing. */
const SCROLLS = ["Shift", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "CapsLock"];

export function dismiss(body, signal) {
  const since = performance.now();
  const isRuling = body.dataset.screen === "ruling";
  const hold = Math.max(Number(body.dataset.holdMs ?? 0), isRuling ? FULL_SCREEN_MS + FRESH_MS : FRESH_MS);
  if (isRuling) fillScreen(body, signal);
  const clear = Number(body.dataset.clearS ?? 0);
  const back = body.querySelector("[data-back]");
  let left = clear;
  let leftBy = null;
  const isHeld = () => performance.now() - since < hold;
  const go = (key = "") => {
    // What was asked for is answered first.
    if (leftBy !== null || body.dataset.sent || isPending()) return;
    leftBy = key;
    goHome();
  };

  // Until the least time is over no control of a ruling acts but the one that keeps it longer, and none takes the focus. A
  // notice can be answered at once by a tap.
  const waiting = isRuling ? ".key:not([data-longer])" : "[data-dismiss]";
  const isEarly = (event) => isHeld() && event.target.closest(waiting);
  const pressed = (event) => {
    if (isEarly(event)) return cancel(event);
    if (!event.target.closest("[data-dismiss]")) return;
    cancel(event);
    go();
  };
  body.addEventListener("click", pressed, { signal, capture: true });
  body.addEventListener("mousedown", (event) => isEarly(event) && event.preventDefault(), { signal });
  body.querySelector("[data-longer]")?.addEventListener("click", () => (left += clear), { signal });
  const more = body.querySelector(".more-keys");
  // What opens is read first.
  more?.addEventListener("toggle", () => (left = Math.max(left, clear)), { signal });
  body.querySelector("[data-repeat]")?.addEventListener("click", () => repeat(body), { signal });
  drawWaiting(body.querySelectorAll(waiting), hold, signal);

  const typed = (event) => {
    const { key, target } = event;
    if (isChord(event) || SCROLLS.includes(key)) return;
    if (leftBy !== null) {
      event.preventDefault();
      // The key that cleared the screen, pressed twice, is not for the next one.
      if (!event.repeat && key !== leftBy) typeAhead.push(key);
      return;
    }
    const isPress = key === "Enter" || key === " ";
    const control = target.closest("button, a, summary");
    if (isHeld() ? isPress && control?.matches("[data-longer]") : !event.repeat && (key === "Tab" || (isPress && control))) return;
    event.preventDefault();
    if (event.repeat) return;
    if (key === "+") left += clear;
    else if (isHeld()) return;
    else if (key === "r" || key === "R") repeat(body);
    else if (key === "Escape" && more?.open) more.open = false;
    else if (key === "Escape" && back) back.click();
    else if (key === "Escape" || !(hasExtraTime() || "keep" in body.dataset)) go(key);
  };
  document.addEventListener("keydown", typed, { signal });
  if (clear) {
    const shown = body.querySelector("[data-dismiss] .left");
    const count = () => {
      shown.textContent = hasExtraTime() ? "" : Math.max(left, 0);
      if (left <= 0) go();
      if (!hasExtraTime()) left -= 1;
    };
    count();
    const counting = setInterval(count, 1000);
    signal.addEventListener("abort", () => clearInterval(counting));
  }
}

/** Shows the ruling alone for its first second; the focus and what is read aloud stay. */
function fillScreen(body, signal) {
  body.classList.add("full-screen");
  const timer = setTimeout(() => body.classList.remove("full-screen"), FULL_SCREEN_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
}

/** Draws controls that do not act yet as such, for as long. */
function drawWaiting(controls, hold, signal) {
  for (const control of controls) control.setAttribute("aria-disabled", "true");
  const end = () => controls.forEach((control) => control.removeAttribute("aria-disabled"));
  const timer = setTimeout(end, hold);
  signal.addEventListener("abort", () => clearTimeout(timer));
}

/** Says the ruling once more to whoever hears the screen. */
function repeat(body) {
  const said = body.querySelector(".again");
  if (!said) return;
  const parts = [...body.querySelectorAll("#play, .tiled .visually-hidden")].map((part) => part.textContent);
  said.textContent = "";
  setTimeout(() => (said.textContent = parts.join(". ")), 100);
}
