import { Button } from "@mantine/core";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { useState } from "react";
import { LOCALE } from "../../lib/locale.ts";
import { usePrinting } from "../../lib/use-printing.ts";
import type { ChangeCard as Card } from "./change-cards.ts";
import { ChangeCard, type RunsOfCards } from "./change-card.tsx";

/** The number of cards that are shown first, and that the button adds. */
const SHOWN_STEP = 40;

/** The cards of changes, the first of them until more are asked for or the page is printed. */
export function CardList(props: {
  cards: readonly Card[];
  runs: RunsOfCards;
  isCompared: boolean;
  onApprove: ((verdicts: readonly Verdict[]) => void) | undefined;
}) {
  const { cards, ...rest } = props;
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  const isPrinting = usePrinting();
  const left = cards.length - shownMax;
  return (
    <>
      {cards.slice(0, isPrinting ? undefined : shownMax).map((card) => (
        <ChangeCard key={card.key} card={card} {...rest} />
      ))}
      {left > 0 && !isPrinting && (
        <Button variant="default" w="fit-content" onClick={() => setShownMax(shownMax + SHOWN_STEP)}>
          Show {Math.min(left, SHOWN_STEP)} more of {left.toLocaleString(LOCALE)}
        </Button>
      )}
    </>
  );
}
