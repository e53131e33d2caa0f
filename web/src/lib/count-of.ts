import { LOCALE } from "./locale.ts";

/** `1 finding`, `2 findings`. */
export function countOf(count: number, plural: string): string {
  return `${count.toLocaleString(LOCALE)} ${count === 1 ? plural.replace(/s$/, "") : plural}`;
}
