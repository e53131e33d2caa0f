/** Focuses the card after or before the focused one, or the first. */
export function moveToCard(by: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-card]")];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = at === -1 ? cards[0] : cards[at + by];
  if (next === undefined) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "start" });
}
