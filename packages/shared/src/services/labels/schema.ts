import { z } from "zod";

/** The most labels of a service. */
export const LABELS_MAX = 20;
const SELECTOR_CHARS_MAX = 1_000;

const A_KEY = "[a-z0-9](?:[a-z0-9._/-]{0,61}[a-z0-9])?";
const A_VALUE = "[A-Za-z0-9](?:[A-Za-z0-9._@/-]{0,61}[A-Za-z0-9])?";
const KEY = new RegExp(`^${A_KEY}$`);
const VALUE = new RegExp(`^${A_VALUE}$`);
const A_WANTED = `${A_KEY}(?:=${A_VALUE})?`;
const SELECTOR = new RegExp(`^${A_WANTED}(?:,${A_WANTED}){0,${LABELS_MAX - 1}}$`);

const LabelKey = z
  .string()
  .regex(KEY, "must be 1 to 63 of a-z, 0-9, . _ / and -, with a letter or digit at both ends");
const LabelValue = z
  .string()
  .regex(VALUE, "must be 1 to 63 of letters, digits, . _ @ / and -, with a letter or digit at both ends");

/** Keys and values that people give to a service, such as `team: payments`. */
export const Labels = z
  .record(LabelKey, LabelValue)
  .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `must be at most ${LABELS_MAX} labels`)
  .meta({ id: "Labels", description: `At most ${LABELS_MAX} keys, each with one value.` });
export type Labels = z.infer<typeof Labels>;

/** Returns each label as a text, such as `team=payments`. */
export function labelTexts(labels: Labels): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** A label that a service must have; with any value, if that is null. */
export interface WantedLabel {
  key: string;
  value: string | null;
}

/** Reads `team=payments,tier` as labels that a service must have, all of them. Returns undefined if the text is no such list. */
export function parseLabelSelector(text: string): WantedLabel[] | undefined {
  return text.length <= SELECTOR_CHARS_MAX && SELECTOR.test(text) ? wantedOf(text) : undefined;
}

function wantedOf(selector: string): WantedLabel[] {
  return selector.split(",").map((part) => {
    const [key = "", value = null] = part.split("=");
    return { key, value };
  });
}

/** True if labels have all that is wanted. */
export function hasLabels(labels: Labels, wanted: readonly WantedLabel[]): boolean {
  return wanted.every(
    ({ key, value }) => Object.hasOwn(labels, key) && (value === null || labels[key] === value),
  );
}

/** Labels that services must have, in a query: `team=payments`, `team` with any value, or several with commas between. */
export const LabelSelector = z
  .string()
  .max(SELECTOR_CHARS_MAX)
  .regex(SELECTOR, "must be key=value, or key, with commas between several")
  .transform(wantedOf)
  .optional()
  .meta({
    type: "string",
    maxLength: SELECTOR_CHARS_MAX,
    pattern: SELECTOR.source,
    description:
      "Only services with these labels: `team=payments`, `team` with any value, or several with commas between.",
  });
