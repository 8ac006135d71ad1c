// An entry that nobody goes on with is wiped, after a warning, and no word of it is kept.

import { lost } from "./lost.js";
import { home, isSlow, load, newKey } from "./page.js";

/** Whoever asked for time has this many times as much. */
const SLOWLY = 4;

export function alone(body, signal) {
  const wait = Number(body.dataset.alone ?? 0);
  if (!wait) return;
  let timer;
  let warning;
  const isIdle = body.dataset.screen === "idle";
  const isUntouched = () => isIdle && ![...body.querySelectorAll(".digits")].some((field) => field.value);
  const stir = (event) => {
    clearTimeout(timer);
    // A key that answers the warning does nothing else.
    if (warning && event?.type === "keydown") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    warning?.remove();
    warning = undefined;
    timer = setTimeout(warn, wait * 1000 * (isSlow() ? SLOWLY : 1));
  };
  const warn = () => {
    if (isUntouched()) return;
    warning = document.getElementById("alone").content.cloneNode(true).firstElementChild;
    body.append(warning);
    count(Number(body.dataset.warned) * (isSlow() ? SLOWLY : 1));
  };
  const count = (left) => {
    if (left <= 0) return wipe(body);
    warning.querySelector(".left").textContent = left;
    timer = setTimeout(() => count(left - 1), 1000);
  };
  for (const kind of ["keydown", "pointerdown", "input"]) addEventListener(kind, stir, { signal, capture: true });
  signal.addEventListener("abort", () => clearTimeout(timer));
  if (!isIdle) stir();
}

function wipe(body) {
  const typed = new FormData(body.querySelector("form"));
  body.querySelectorAll("main input, .tiles, .tiled").forEach((trace) => trace.remove());
  // A correction that is given up leaves the slip's ruling as it stands: no challenge was abandoned.
  const ended = typed.get("slip") || body.dataset.screen === "idle" ? home() : abandon(typed);
  ended.catch(() => lost());
}

function abandon(typed) {
  const fields = new URLSearchParams({ kind: "abandoned", key: newKey() });
  for (const name of ["table", "division"]) if (typed.get(name)) fields.set(name, typed.get(name));
  return load("/station/end", fields);
}
