// What was in sight, and what is still to be scrolled to: on a small or enlarged screen a slip is longer than the screen.

/** Watches until each of `parts` was in sight once, and then calls `done`. `cover` lies over the lower end and says that there
    is more; it is hidden where there is not. Answers whether something was never in sight, and what scrolls to it. */
export function trackVisibility(parts, cover, signal, done) {
  let unseen = [...parts];
  const look = () => {
    if (!unseen.length) return;
    const rest = () => unseen.filter((part) => !isWithin(part.getBoundingClientRect(), viewAbove(cover)));
    if (cover.hidden && rest().length) cover.hidden = false;
    unseen = rest();
    if (unseen.length) return;
    cover.hidden = true;
    done();
  };
  const scroll = () => {
    unseen[0]?.scrollIntoView({ block: "start", inline: "nearest" });
    look();
  };
  addEventListener("scroll", look, { signal, capture: true });
  addEventListener("resize", look, { signal });
  for (const kind of ["scroll", "resize"]) visualViewport.addEventListener(kind, look, { signal });
  look();
  return { hasUnseen: () => unseen.length > 0, scroll };
}

/** The part of the page that is in sight, also where two fingers enlarged it. */
function viewAbove(cover) {
  const { offsetLeft: left, offsetTop: top, width, height } = visualViewport;
  const { top: lid, height: thick } = cover.getBoundingClientRect();
  return { left, top, right: left + width, bottom: Math.min(top + height, thick ? lid : Infinity) };
}

/** Whether a box is in sight, but for a pixel that rounding takes. */
function isWithin(box, view) {
  const isAcross = box.left >= view.left - 1 && box.right <= view.right + 1;
  return isAcross && box.top >= view.top - 1 && box.bottom <= view.bottom + 1;
}
