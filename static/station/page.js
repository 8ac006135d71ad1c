// One page without a history: what the server answers takes the place of what was there, so that no key of the browser
// leads back to it. Nothing typed is kept anywhere but in the fields themselves.

const SLOWEST_MS = 8000;

let newest = 0;
let leaving = new AbortController();
let entered = () => {};
let shown = 0;

/** Keys that were pressed for the screen that is on its way. */
export const typeAhead = [];

/** What is done with every body that is shown; its listeners end by the signal. */
export function whenShown(enter) {
  entered = enter;
}

/** When what is shown came, by `performance.now()`. */
export const shownAt = () => shown;

/** Shows a body in place of the one there is. */
export function show(body) {
  shown = performance.now();
  leaving.abort();
  leaving = new AbortController();
  if (body !== document.body) document.body.replaceWith(document.adoptNode(body));
  delete body.dataset.sent;
  // What stands in for scripts carries what was typed along.
  for (const spare of body.querySelectorAll(".no-js")) spare.remove();
  body.querySelector("[autofocus]")?.focus();
  entered(body, leaving.signal);
}

/** Asks for a page, and shows it unless a newer one was asked for since, or it is not wanted any more; answers its status.
    What is only wanted under a condition is newer than nothing. Throws where no page of the station came: then nothing is
    known. */
export async function load(address, fields, { isWanted, mustWork = false } = {}) {
  const mine = isWanted ? newest : ++newest;
  const response = await fetch(address, {
    method: fields ? "POST" : "GET",
    body: fields,
    cache: "no-store",
    signal: AbortSignal.timeout(SLOWEST_MS),
  });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (!page.body.dataset.screen || (mustWork && response.status >= 500)) throw new Error("no page came");
  if (mine === newest && (isWanted?.() ?? true)) {
    applyLanguage(page);
    show(page.body);
  }
  return response.status;
}

/** Takes over the language of a page: what its head keeps for later, and how the document is read. */
function applyLanguage(page) {
  const [here, there] = [document.documentElement, page.documentElement];
  if (here.lang === there.lang || !there.lang) return;
  [here.lang, here.dir, document.title] = [there.lang, there.dir, page.title];
  for (const spare of page.querySelectorAll("head template")) document.getElementById(spare.id)?.replaceWith(document.adoptNode(spare));
}

/** The first page, once the tests that are due were run. What was sent before is answered first. */
export async function loadHome(options) {
  if (!document.body.dataset.sent) await load("/station/tests", new URLSearchParams(), options);
}

/** Whether nobody began anything on the first page. */
export function isUntouched(body) {
  const digits = [...body.querySelectorAll(".digits")];
  return body.dataset.screen === "idle" && !digits.some((field) => field.value) && !body.querySelector(":checked");
}

/** Whether players who need it have asked for time: nothing clears by itself, and Tab moves. */
export function hasExtraTime() {
  return document.documentElement.classList.contains("extra-time-on");
}

/** A key for one request. (randomUUID is not there over plain HTTP.) */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A press that comes sooner than this after its screen has not seen it. */
export const FRESH_MS = 700;

/** Refuses an event, also to whoever else listens. */
export function cancel(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Whether a key is held together with another that gives it a meaning of the browser's. */
export function isChord(event) {
  return event.ctrlKey || event.altKey || event.metaKey;
}
