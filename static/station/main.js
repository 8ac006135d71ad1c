// The station with scripts: the same forms as without, sent in the background.

import { alone } from "./alone.js";
import { handOver } from "./hand_over.js";
import { idle } from "./idle.js";
import { lost } from "./lost.js";
import { leave } from "./leave.js";
import { home, load, show, whenShown } from "./page.js";
import { news, watch } from "./watch.js";
import { words } from "./words.js";

const screens = { idle, words, "hand-over": handOver, ruling: leave, notice: leave };

/** Sends a form once, however often it is pressed. */
function send(event) {
  event.preventDefault();
  const { target: form, submitter } = event;
  const { body } = document;
  if (body.dataset.sent) return;
  body.dataset.sent = "yes";
  const address = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  const fields = new URLSearchParams(new FormData(form, submitter));
  const judged = address === "/station/ruling" ? fields.get("key") : null;
  load(address, fields).catch(() => lost(judged));
}

function follow(event) {
  const link = event.target.closest("a[href]");
  if (!link) return;
  event.preventDefault();
  home().catch(() => lost());
}

whenShown((body, signal) => {
  screens[body.dataset.screen]?.(body, signal);
  alone(body, signal);
  body.addEventListener("submit", send, { signal });
  body.addEventListener("click", follow, { signal });
});

// Nothing is carried away: no menu, no dragging; and who leaves the page leaves nothing on it.
for (const kind of ["contextmenu", "dragstart", "drop"]) addEventListener(kind, (event) => event.preventDefault());
addEventListener("pagehide", () => document.body.replaceChildren());
addEventListener("pageshow", (event) => event.persisted && home().catch(() => lost()));

document.documentElement.classList.add("scripted");
show(document.body);
watch();
// The first page was drawn before the station's tests were run. Whoever types already is not disturbed.
news();
