// An entry that nobody goes on with is wiped, after a warning, and no word of it is kept.

import { goHome, showDisconnected } from "./connection.js";
import { hasExtraTime, isUntouched, load, newKey } from "./page.js";

/** Whoever asked for time has this many times as much. */
const SLOWLY = 4;

/** So long after a finger was lifted its click has come, if it comes. */
const AFTER_UP_MS = 300;

export function watchInactivity(body, signal) {
  const wait = Number(body.dataset.idleS ?? 0);
  if (!wait) return;
  const times = () => (hasExtraTime() ? SLOWLY : 1);
  let timer;
  let warning = null;
  const answer = () => {
    warning?.remove();
    warning = null;
  };
  const begin = () => {
    clearTimeout(timer);
    timer = setTimeout(warn, wait * 1000 * times());
  };
  const warn = () => {
    answer();
    // What is on its way is waited for.
    if (isUntouched(body) || body.dataset.sent) return begin();
    warning = document.getElementById("inactivity").content.cloneNode(true).firstElementChild;
    body.append(warning);
    count(Number(body.dataset.warningS) * times());
  };
  const count = (left) => {
    if (left <= 0) return clearEntry(body);
    warning.querySelector(".left").textContent = left;
    timer = setTimeout(() => count(left - 1), 1000);
  };
  // A key or tap that answers the warning does nothing else; the warning takes the tap to its end, also one that drags.
  const onActivity = (event) => {
    begin();
    if (!warning) return;
    event.stopImmediatePropagation();
    if (event.cancelable) event.preventDefault();
    if (event.type === "pointerup") setTimeout(answer, AFTER_UP_MS);
    else if (event.type !== "pointerdown") answer();
  };
  for (const kind of ["keydown", "pointerdown", "pointerup", "pointercancel", "click", "input"]) addEventListener(kind, onActivity, { signal, capture: true });
  signal.addEventListener("abort", () => clearTimeout(timer));
  begin();
}

function clearEntry(body) {
  const typed = new FormData(body.querySelector("form"));
  body.dataset.cleared = "yes";
  body.querySelectorAll("main input, .tiles, .tiled").forEach((trace) => trace.remove());
  // A correction that is given up leaves the slip's ruling as it stands: no challenge was abandoned.
  if (typed.get("slip") || body.dataset.screen === "idle") return goHome();
  const fields = new URLSearchParams({ kind: "abandoned", key: newKey() });
  for (const name of ["table", "division"]) if (typed.get(name)) fields.set(name, typed.get(name));
  const address = "/station/end";
  load(address, fields).catch(() => showDisconnected({ address, fields }));
}
