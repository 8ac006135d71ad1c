// The opponent's screen: one fresh press judges. What was pressed for the page before, or is still held down, does not, and
// whoever presses too soon waits anew.

import { FRESH_MS, isChord, isSlow, refuse } from "./page.js";

export function handOver(body, signal) {
  let since = performance.now();
  const judge = body.querySelector(".judge");
  const back = body.querySelector("[data-back]");
  const endings = body.querySelector(".endings");
  const isFresh = () => performance.now() - since >= FRESH_MS;

  const typed = (event) => {
    const { key, repeat, target, shiftKey } = event;
    if (isChord(event) || shiftKey) return;
    if (key === "Escape" || (key.toLowerCase() === "w" && endings)) {
      event.preventDefault();
      if (repeat) return;
      if (key === "Escape") return back.click();
      endings.open = !endings.open;
      endings.querySelector("summary").focus();
    }
    if (key !== "Enter" && key !== "Tab") return;
    // Whoever asked for time, or looks at the other ways to end, moves by Tab and presses by Enter.
    const moves = isSlow() || endings?.open || target.closest(".endings, [data-back]");
    if (moves && !repeat && isFresh()) return;
    event.preventDefault();
    if (repeat) return;
    if (isFresh()) judge.click();
    else since = performance.now();
  };
  document.addEventListener("keydown", typed, { signal });
  const tooSoon = (event) => {
    if (isFresh() || event.submitter === back) return;
    refuse(event);
    since = performance.now();
  };
  body.addEventListener("submit", tooSoon, { signal, capture: true });
}
