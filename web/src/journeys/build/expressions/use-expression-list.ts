import { useState } from "react";
import { findExpressions, type Place, placeOf, rangeOf } from "./find-expressions.ts";
import type { ExpressionGroup } from "./in-scope.ts";
import type { Range } from "./insert-expression.ts";

interface Opened {
  place: Place;
  /** The field's text when the list was opened: until it changes, nothing is searched. */
  text: string;
  /** The index of the highlighted option. */
  active: number | undefined;
  /** True if the user has gone to the option, and not only typed a text that it contains. */
  isChosen: boolean;
}

/** The list of a field while it is open. */
interface OpenList {
  groups: ExpressionGroup[];
  active: number | undefined;
  /** The part of the text that an expression replaces. */
  range: Range;
  /** The expression that Enter takes. */
  highlighted: string | undefined;
  /** The expression that Tab takes. */
  chosen: string | undefined;
}

/** Keeps whether the list of expressions of a field is open, and which option is highlighted. */
export function useExpressionList(text: string, expressions: () => ExpressionGroup[]) {
  const [opened, setOpened] = useState<Opened>();
  const range = opened && rangeOf(text, opened.place);
  const list =
    opened === undefined || range === undefined ? undefined : listOf({ opened, text, range }, expressions());
  return {
    list,
    open: (at: Range) => setOpened({ place: placeOf(text, at), text, active: undefined, isChosen: false }),
    close: () => setOpened(undefined),
    /** Highlights the first option that contains the typed text, so that Enter takes it. */
    search: () => setOpened((now) => now && { ...now, active: 0, isChosen: false }),
    move: (by: 1 | -1) => {
      const count = list?.groups.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
      if (opened === undefined || count === 0) return;
      const from = list?.active ?? (by === 1 ? -1 : 0);
      setOpened({ ...opened, active: (from + by + count) % count, isChosen: true });
    },
  };
}

function listOf(
  { opened, text, range }: { opened: Opened; text: string; range: Range },
  expressions: ExpressionGroup[],
): OpenList {
  const searched = text === opened.text ? "" : text.slice(range.from, range.to);
  const groups = findExpressions(expressions, searched);
  // Enter in a field that was emptied takes none of them.
  const isHighlighted = opened.isChosen || searched !== "";
  const highlighted =
    opened.active === undefined || !isHighlighted
      ? undefined
      : groups.flatMap(({ items }) => items)[opened.active];
  return {
    groups,
    range,
    active: highlighted === undefined ? undefined : opened.active,
    highlighted,
    chosen: opened.isChosen ? highlighted : undefined,
  };
}
