// The opponent's screen: one fresh press judges. What was pressed for the page before, or is still held down, does not.

import { isChord, isSlow } from "./page.js";

const FRESH_MS = 700;

export function handOver(body, signal) {
  const since = performance.now();
  const judge = body.querySelector(".judge");
  const back = body.querySelector("[data-back]");
  const isFresh = () => performance.now() - since >= FRESH_MS;

  const typed = (event) => {
    if (isChord(event) || event.shiftKey) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (!event.repeat) back.click();
      return;
    }
    const judges = event.key === "Enter" || event.key === "Tab";
    // Whoever asked for time, or opened the other ways to end, moves by Tab and presses by Enter.
    const moves = isSlow() || event.target.closest("details[open], [data-back]");
    if (!judges || (moves && !event.repeat && isFresh())) return;
    event.preventDefault();
    if (!event.repeat && isFresh()) judge.click();
  };
  document.addEventListener("keydown", typed, { signal });
  const tooSoon = (event) => {
    if (isFresh() || event.submitter === back) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  body.addEventListener("submit", tooSoon, { signal });
}
