// The station with scripts: the same forms as without, sent in the background.

import { goHome, resolveLater, showDisconnected } from "./connection.js";
import { dismiss } from "./dismiss.js";
import { listen, refreshIfIdle } from "./events.js";
import { watchExtraTime } from "./extra_time.js";
import { handOver } from "./hand_over.js";
import { idle } from "./idle.js";
import { watchInactivity } from "./inactivity.js";
import { load, show, typeAhead, whenShown } from "./page.js";
import { handlePresses, ignoreDoubleKeys } from "./press.js";
import { question } from "./question.js";
import { playTone } from "./sound.js";
import { words } from "./words.js";

const screens = { idle, words, question, "hand-over": handOver, ruling: dismiss, notice: dismiss };

/** Sends a form once, however often it is pressed. */
async function send(event) {
  event.preventDefault();
  const { target: form, submitter } = event;
  const { dataset } = document.body;
  if (dataset.sent) return;
  dataset.sent = "yes";
  const address = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  const fields = new URLSearchParams(new FormData(form, submitter));
  try {
    const status = await load(address, fields);
    // It may be written down all the same: that is asked for until it is known.
    if (address === "/station/ruling" && status >= 500) resolveLater(fields.get("key"));
  } catch {
    showDisconnected({ address, fields });
  }
}

function follow(event) {
  const link = event.target.closest("a[href='/station']");
  if (!link) return;
  event.preventDefault();
  goHome();
}

whenShown((body, signal) => {
  // What a screen refuses is refused while the event goes down, before it is sent.
  body.addEventListener("submit", send, { signal });
  body.addEventListener("click", follow, { signal });
  watchInactivity(body, signal);
  screens[body.dataset.screen]?.(body, signal);
  playTone(body.dataset.sound);
  if (!body.dataset.sent) typeAhead.length = 0;
});

// What the head tells takes the focus from nobody who types.
addEventListener("mousedown", (event) => event.target.closest?.(".bar summary") && event.preventDefault());

// Nothing is carried away: no menu, no dragging, no clipboard; and who leaves the page leaves nothing on it.
for (const kind of ["contextmenu", "dragstart", "drop", "copy", "cut", "paste"]) {
  addEventListener(kind, (event) => event.preventDefault());
}
addEventListener("pagehide", () => document.body.replaceChildren());
addEventListener("pageshow", (event) => event.persisted && goHome());

document.documentElement.classList.add("js");
handlePresses();
ignoreDoubleKeys();
show(document.body);
watchExtraTime();
listen();
// The first page was drawn before the station's tests were run. Whoever types already is not disturbed.
refreshIfIdle();
