// The words, each on its own line and as tiles while it is typed. Nothing is added or skipped unseen: a line that is empty
// is not left by a separator, and only the last line leads to the opponent.

import { isChord, isSlow } from "./page.js";
import { pad } from "./pad.js";
import { tilesOf } from "./tiles.js";

const SEPARATORS = [" ", ",", ";", "Enter", "Tab", "ArrowDown"];
const BACKWARDS = ["ArrowLeft", "ArrowRight", "Home", "End"];

export function words(body, signal) {
  const form = body.querySelector(".spell");
  const lines = [...body.querySelectorAll(".letters")];
  const keys = body.querySelector(".letter-pad");
  const tiles = [...keys.querySelectorAll("[data-letter]")].map((key) => key.dataset.letter);
  const next = body.querySelector(".keys [data-next]");
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

  for (const line of lines) {
    line.inputMode = "none";
    const rack = rackOf(line);
    const draw = () => rack.replaceChildren(...tilesOf(line.value, tiles, keys.dataset.case).map(tile));
    line.addEventListener("input", () => (spread(line, lines, goTo), draw()), { signal });
    line.addEventListener("draw", draw, { signal });
    line.addEventListener("focus", () => ((current = line), label()), { signal });
    draw();
  }
  const label = () => (next.textContent = next.dataset[current === lines.at(-1) ? "last" : "more"]);

  const typed = (event) => {
    const line = event.target;
    if (isChord(event) || !lines.includes(line)) return;
    const { key, shiftKey, repeat } = event;
    if (isSlow() && (key === "Tab" || BACKWARDS.includes(key))) return;
    if (key === "ArrowUp" || (key === "Tab" && shiftKey) || (key === "Backspace" && !line.value)) {
      event.preventDefault();
      goBack(line);
    } else if (SEPARATORS.includes(key)) {
      event.preventDefault();
      if (!repeat) goOn(line);
    } else if (BACKWARDS.includes(key)) {
      // The tiles show no place within a word: what is typed stands at its end.
      event.preventDefault();
    }
  };
  body.addEventListener("keydown", typed, { signal });
  body.addEventListener("submit", (event) => lines.some(isEmpty) && event.stopImmediatePropagation(), { signal });
  pad(body, signal, { field: () => current, next: goOn });
  goTo(current);
  label();
}

/** Where a line's tiles are drawn. */
function rackOf(line) {
  const there = line.parentElement.querySelector(".tiles");
  if (there) return there;
  const rack = document.createElement("span");
  rack.className = "tiles";
  rack.setAttribute("aria-hidden", "true");
  line.after(rack);
  return rack;
}

function tile(text) {
  const drawn = document.createElement("span");
  drawn.className = "tile";
  drawn.textContent = text;
  return drawn;
}

/** What came with its separators in one piece, from a keyboard of the tablet's own, goes to the lines that follow. */
function spread(line, lines, goTo) {
  const parts = line.value.split(/[\s,;]+/u);
  if (parts.length === 1) return;
  line.value = parts.shift();
  let at = lines.indexOf(line);
  for (const part of parts) {
    const after = lines[++at];
    // More words than lines, or a line that has its word: nothing is lost, and nothing put in its place.
    if (!after || (part && after.value)) {
      if (part) lines[at - 1].value += part;
      break;
    }
    after.value = part;
    after.dispatchEvent(new Event("draw"));
    goTo(after);
  }
}
