import { sortExactFirst } from "../../../lib/exact-first.ts";
import { matchesText } from "../../../lib/matches-text.ts";
import type { ExpressionGroup } from "./in-scope.ts";
import type { Range } from "./insert-expression.ts";

/**
 * The part of a field's text that an expression will replace. While it is edited, the text around it stays the same.
 */
export interface Place {
  before: string;
  after: string;
}

/** Returns the place of a selection in a text. */
export function placeOf(text: string, { from, to }: Range): Place {
  return { before: text.slice(0, from), after: text.slice(to) };
}

/** Returns the current position of the place; undefined if the text before or after it has changed. */
export function rangeOf(text: string, { before, after }: Place): Range | undefined {
  const to = text.length - after.length;
  if (to < before.length || !text.startsWith(before) || !text.endsWith(after)) return undefined;
  return { from: before.length, to };
}

/** Returns the expressions that contain a text. The group with an exact match is first, and so is the match in it. */
export function findExpressions(groups: readonly ExpressionGroup[], search: string): ExpressionGroup[] {
  const wanted = search.trim().toLowerCase();
  const isExact = (name: string) => name.toLowerCase() === wanted;
  const found = groups
    .map(({ group, items }) => ({
      group,
      items: sortExactFirst(
        items.filter((name) => matchesText(wanted, [name])),
        isExact,
      ),
    }))
    .filter(({ items }) => items.length > 0);
  return sortExactFirst(found, ({ items }) => items.some(isExact));
}
