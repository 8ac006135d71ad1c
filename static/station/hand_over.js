// The opponent's screen: one fresh press judges, once every word was in sight. What was pressed for the page before, or is
// still held down, does not, and whoever presses too soon waits anew.

import { FRESH_MS, cancel, hasExtraTime, isChord } from "./page.js";
import { trackVisibility } from "./visibility.js";

export function handOver(body, signal) {
  let since = performance.now();
  const wait = () => (since = performance.now());
  const judge = body.querySelector(".judge");
  const back = body.querySelector("[data-back]");
  const more = body.querySelector("[data-more]");
  const endings = body.querySelector(".endings");
  const visibility = trackVisibility(body.querySelectorAll(".tile"), more, signal, wait);
  const isFresh = () => !visibility.hasUnseen() && performance.now() - since >= FRESH_MS;

  const typed = (event) => {
    const { key, repeat, target, shiftKey } = event;
    if (isChord(event) || shiftKey) return;
    if (key === "Escape") {
      event.preventDefault();
      if (!repeat) back.click();
    } else if (key === "Enter" || key === "Tab") {
      // Whoever asked for time, or looks at the other ways to end, moves by Tab and presses by Enter.
      const moves = hasExtraTime() || endings?.open || target.closest(".endings, [data-back], .bar");
      if (moves && !repeat && isFresh()) return;
      event.preventDefault();
      if (repeat) return;
      if (isFresh()) judge.click();
      else if (visibility.hasUnseen()) visibility.scroll();
      else wait();
    } else if ([...key].length === 1 && key !== " " && !repeat) {
      // Any other letter was typed for the words, and so was a W that came at once.
      const isEnding = endings && key.toLowerCase() === "w" && isFresh();
      if (endings) endings.open = isEnding && !endings.open;
      if (isEnding) endings.querySelector("summary").focus();
      else wait();
    }
  };
  document.addEventListener("keydown", typed, { signal });
  more.addEventListener("click", visibility.scroll, { signal });
  const tooSoon = (event) => {
    if (isFresh() || event.submitter?.matches("[data-back], [data-ruling]")) return;
    cancel(event);
    if (visibility.hasUnseen()) visibility.scroll();
    else wait();
  };
  body.addEventListener("submit", tooSoon, { signal, capture: true });
}
