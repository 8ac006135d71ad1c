// What the server tells by itself: another round, another lexicon, and that it is there at all.

import { goHome, isPending, showDisconnected } from "./connection.js";
import { isUntouched } from "./page.js";

/** A connection that comes back at once was never gone. */
const PATIENCE_MS = 1500;
const AGAIN_MS = 2000;

/** Screens on which nobody is busy. */
const isWaiting = () => {
  const { body } = document;
  const isStanding = body.dataset.screen === "notice" && !body.dataset.clearS;
  return !body.dataset.sent && !isPending() && (isUntouched(body) || isStanding);
};

/** Looks at the first page anew, unless somebody is at work. */
export const refreshIfIdle = () => isWaiting() && goHome({ isWanted: isWaiting });

export function listen() {
  const stream = new EventSource("/station/news");
  const { dataset } = document.documentElement;
  let gone;
  stream.addEventListener("open", () => {
    clearTimeout(gone);
    dataset.connection = "up";
  });
  for (const kind of ["round-set", "division-set", "test-deck-set"]) stream.addEventListener(kind, refreshIfIdle);
  stream.addEventListener("token-revoked", () => {
    stream.close();
    goHome();
  });
  stream.addEventListener("error", () => {
    clearTimeout(gone);
    dataset.connection = "down";
    gone = setTimeout(() => isWaiting() && showDisconnected(), PATIENCE_MS);
    // A browser gives up where it was answered anything but a stream.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS);
  });
}
