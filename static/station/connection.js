// No server answers. That is a calm state and no ruling; the station goes on by itself, and what became of a slip that was
// on its way is asked for by its key.

import { load, loadHome, show } from "./page.js";

const EVERY_MS = 1000;

/** For so long what was being typed is worth coming back to: afterwards others may stand there. */
const KEPT_MS = 45_000;

/** What is done once the server answers again. */
let next = null;

/** Says that the connection is lost, until it is not. `sent` is the request whose answer did not come, if one was sent. */
export function showDisconnected(sent = null) {
  const isFirst = !next;
  const { body } = document;
  if (isFirst || sent) next = recoveryFor(sent, body);
  if (body.dataset.screen !== "disconnected") show(noConnection());
  if (isFirst) setTimeout(retry, EVERY_MS);
}

/** The first page, or that there is no server to give it. */
export function goHome(options) {
  return loadHome(options).catch(() => showDisconnected());
}

/** Nobody knows yet whether the slip under this key was written down; what is shown stays until it is known. */
export function resolveLater(key) {
  if (next) return;
  next = () => resolve(key);
  setTimeout(retry, EVERY_MS);
}

/** Whether something is still to be known. */
export const isPending = () => Boolean(next);

const resolve = (key) => load("/station/resolve", new URLSearchParams({ key }), { mustWork: true });

/** Requests that only ask for a screen, though there is a key on the page that sent them. */
const ASKING = ["/station/words", "/station/check", "/station/language", "/station/mistyped", "/station/ask", "/station/back"];

/** A slip is found by its key, and so is what else was to be recorded: the same request gets the same answer. What only asked
    for the next screen is asked again by whoever typed it. */
function recoveryFor(sent, body) {
  if (sent?.address === "/station/ruling") return () => resolve(sent.fields.get("key"));
  if (sent?.fields.get("key") && !ASKING.includes(sent.address)) return () => load(sent.address, sent.fields, { mustWork: true });
  const isEntry = ["idle", "words", "question", "hand-over"].includes(body.dataset.screen) && !body.dataset.cleared;
  const since = performance.now();
  return async () => {
    if (!sent || performance.now() - since >= KEPT_MS) return loadHome();
    if (isEntry) return show(body);
    return ASKING.includes(sent.address) ? load(sent.address, sent.fields) : loadHome();
  };
}

async function retry() {
  try {
    const health = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(2 * EVERY_MS) });
    if (!health.ok) throw new Error("not healthy");
    await next();
    next = null;
  } catch {
    setTimeout(retry, EVERY_MS);
  }
}

function noConnection() {
  const body = document.createElement("body");
  body.className = "station notice";
  body.dataset.screen = "disconnected";
  const main = document.createElement("main");
  main.append(document.getElementById("disconnected").content.cloneNode(true));
  const bar = document.querySelector(".bar");
  if (bar) body.append(bar.cloneNode(true));
  body.append(main);
  return body;
}
