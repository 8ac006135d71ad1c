// No server answers. That is a calm state and no ruling; the station goes on by itself, and what became of a slip that was
// on its way is asked for by its key.

import { home, load, show } from "./page.js";

const EVERY_MS = 1000;

/** The key of a slip whose answer did not come. */
let judged = null;
/** What was being typed when no slip was on its way yet. */
let kept = null;
let waiting = false;

/** Says that the connection is lost, until it is not. `key` is that of the slip on its way, if one is. */
export function lost(key = null) {
  judged ??= key;
  if (document.body.dataset.screen !== "lost") {
    const isTyping = document.body.querySelector(".spell, .ask") && !judged;
    kept = isTyping && document.body.dataset.screen === "words" ? document.body : null;
    show(noConnection());
  }
  if (!waiting) {
    waiting = true;
    setTimeout(again, EVERY_MS);
  }
}

async function again() {
  try {
    const health = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(2 * EVERY_MS) });
    if (!health.ok) throw new Error("not healthy");
    if (judged) await load("/station/resolve", new URLSearchParams({ key: judged }), { mustWork: true });
    else if (kept) show(kept);
    else await home();
    judged = kept = null;
    waiting = false;
  } catch {
    setTimeout(again, EVERY_MS);
  }
}

function noConnection() {
  const body = document.createElement("body");
  body.className = "station calm";
  body.dataset.screen = "lost";
  const main = document.createElement("main");
  main.append(document.getElementById("lost").content.cloneNode(true));
  const bar = document.querySelector(".bar");
  if (bar) body.append(bar.cloneNode(true));
  body.append(main);
  return body;
}
