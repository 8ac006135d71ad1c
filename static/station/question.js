// A question between two screens: Tab moves to an answer and Enter presses it, once the question was there long enough to be
// read, and Esc leads back to the words.

import { FRESH_MS, cancel, isChord } from "./page.js";

export function question(body, signal) {
  const since = performance.now();
  const isEarly = () => performance.now() - since < FRESH_MS;
  const back = body.querySelector("[data-back]");
  const typed = (event) => {
    const { key, repeat } = event;
    if (isChord(event)) return;
    if (key === "Escape" && !repeat) return back.click();
    if (["Tab", "Enter", " "].includes(key) && (repeat || isEarly())) event.preventDefault();
  };
  const submitted = (event) => isEarly() && event.submitter !== back && cancel(event);
  document.addEventListener("keydown", typed, { signal });
  body.addEventListener("submit", submitted, { signal, capture: true });
}
