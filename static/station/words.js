// The words, each on its own line and as tiles while it is typed. Nothing is added or skipped unseen: a line that is empty
// is not left by a separator, and only the last line leads to the opponent.

import { cancel, hasExtraTime, isChord, typeAhead } from "./page.js";
import { erase, handleScreenKeys, type } from "./screen_keyboard.js";
import { drawTiles } from "./tiles.js";

const SEPARATORS = [" ", ",", ";", "Enter", "Tab", "ArrowDown"];
const BACKWARDS = ["ArrowLeft", "ArrowRight", "Home", "End"];
const DIGIT = /^\d$/;

export function words(body, signal) {
  const form = body.querySelector(".entry");
  const lines = [...body.querySelectorAll(".letters")];
  const next = body.querySelector(".keys [data-next]");
  const back = body.querySelector("[data-back]");
  const isEmpty = (line) => !line.value.trim();
  let current = lines.find((line) => line.hasAttribute("aria-invalid")) ?? lines.find(isEmpty) ?? lines.at(-1);

  const goTo = (line) => {
    line.focus();
    line.setSelectionRange(line.value.length, line.value.length);
  };
  const goOn = (line) => {
    if (isEmpty(line)) return;
    const after = lines[lines.indexOf(line) + 1];
    if (after) goTo(after);
    else if (lines.some(isEmpty)) goTo(lines.find(isEmpty));
    else form.requestSubmit();
  };
  const goBack = (line) => {
    const before = lines[lines.indexOf(line) - 1];
    if (before) goTo(before);
  };
  // A digit before the first letter is the number of words once more, which was pressed on the screen before.
  const isTile = (key) => Boolean(body.querySelector(`.letter-pad [data-letter^="${key}"]`));
  const isCount = (key) => DIGIT.test(key) && lines.every(isEmpty) && !isTile(key);
  const label = () => (next.textContent = next.dataset[current === lines.at(-1) ? "last" : "more"]);

  for (const line of lines) {
    line.inputMode = "none";
    const draw = drawTiles(line, body.querySelector(".letter-pad"));
    line.addEventListener("input", () => (spread(line, lines, goTo), draw()), { signal });
    line.addEventListener("draw", draw, { signal });
    line.addEventListener("focus", () => ((current = line), label()), { signal });
  }

  // Keys that were pressed here: the repeats of one that is held from the screen before are not meant.
  const pressed = new Set();
  const typed = (event) => {
    const { key, shiftKey, repeat, target } = event;
    if (isChord(event)) return;
    if (key === "Escape" && back && !repeat) return back.click();
    if (target.closest("button, a, summary")) return;
    if (!repeat) pressed.add(key);
    else if (!pressed.has(key)) return event.preventDefault();
    if (isCount(key)) return event.preventDefault();
    if (hasExtraTime() && (key === "Tab" || BACKWARDS.includes(key))) return;
    // Whoever tapped beside the lines goes on where he was.
    if (!lines.includes(target)) goTo(current);
    if (key === "ArrowUp" || (key === "Tab" && shiftKey) || (key === "Backspace" && !current.value)) {
      event.preventDefault();
      goBack(current);
    } else if (SEPARATORS.includes(key)) {
      event.preventDefault();
      if (!repeat) goOn(current);
    } else if (BACKWARDS.includes(key)) {
      // The tiles show no place within a word: what is typed stands at its end.
      event.preventDefault();
    }
  };
  const unfinished = (event) => {
    if (event.submitter === back && back) return;
    if (!event.target.matches(".entry") || !lines.some(isEmpty)) return;
    cancel(event);
  };
  document.addEventListener("keydown", typed, { signal });
  body.addEventListener("submit", unfinished, { signal, capture: true });
  handleScreenKeys(body, signal, { field: () => current, next: goOn });
  goTo(current);
  label();
  for (const key of typeAhead.splice(0)) {
    if (isCount(key)) continue;
    if (SEPARATORS.includes(key)) goOn(current);
    else if (key === "Backspace") current.value ? erase(current) : goBack(current);
    else if ([...key].length === 1) type(current, key);
  }
}

/** What came with its separators in one piece, from a keyboard of the tablet's own, goes to the lines that follow. More
    words than there are empty lines stay where they can be seen. */
function spread(line, lines, goTo) {
  const [first, ...rest] = line.value.split(/[\s,;]+/u);
  if (!rest.length) return;
  line.value = first;
  let at = lines.indexOf(line);
  for (const part of rest.filter(Boolean)) {
    const after = lines[at + 1];
    if (after && !after.value) at += 1;
    lines[at].value += part;
    lines[at].dispatchEvent(new Event("draw"));
  }
  goTo(lines[at]);
}
