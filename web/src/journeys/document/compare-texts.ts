import {
  compareDocuments,
  type DocumentChange,
} from "@waymark/journey-authoring/compare/compare-documents.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";

const VALUE_LENGTH_MAX = 200;
/** The number of characters of a long value that are shown before the first difference. */
const LEAD = 40;
/** Reading a longer one would stop the page for more than a second. */
const TEXT_LENGTH_MAX = 500_000;

/** A difference by steps and fields, in words. */
export interface DescribedChange {
  /** Unique among the changes of a comparison. */
  key: string;
  where: string;
  kind: DocumentChange["kind"];
  /** Undefined: there is none. */
  before: string | undefined;
  after: string | undefined;
}

export interface VersionText {
  version: number;
  text: string;
}

/** Compares two versions of a document by steps and fields. Returns a sentence if that is impossible. */
export function compareTexts(before: VersionText, after: VersionText): DescribedChange[] | string {
  if (Math.max(before.text.length, after.text.length) > TEXT_LENGTH_MAX)
    return "These versions are too long to be compared by steps and fields. Their lines are below.";
  const [old, now] = [read(before), read(after)];
  if ("fault" in old) return old.fault;
  return "fault" in now ? now.fault : compareDocuments(old.value, now.value).map(describe);
}

function read({ version, text }: VersionText): { value: JsonValue } | { fault: string } {
  const { value, problems } = parseText(text, { file: "" });
  const fault = problems.find(({ severity }) => severity === "error");
  if (fault === undefined) return { value: value ?? null };
  return {
    fault: `Version ${version} can't be read, so only the lines are compared. Its line ${fault.line}: ${fault.message}`,
  };
}

function describe({ items, field, kind, before, after, follows }: DocumentChange): DescribedChange {
  const where = [...items, ...(field.length === 0 ? [] : [field.join(".")])].join(" › ");
  const change = { key: JSON.stringify([items, field, kind]), where: where || "the document", kind };
  if (kind === "moved")
    return { ...change, before: undefined, after: follows === undefined ? "first" : `after ${follows}` };
  const [old, now] = [textOf(before, after), textOf(after, before)];
  const start = Math.max(0, commonLength(old ?? "", now ?? "") - LEAD);
  return { ...change, before: cut(old, start), after: cut(now, start) };
}

/** A text as it is, unless it could then be taken for another value. */
function textOf(value: JsonValue | undefined, other: JsonValue | undefined): string | undefined {
  const isPlain =
    typeof value === "string" && value !== "" && (other === undefined || typeof other === "string");
  return isPlain || value === undefined ? value : JSON.stringify(value);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Cuts a long value to the part that starts at an index. */
function cut(text: string | undefined, start: number): string | undefined {
  if (text === undefined || text.length <= VALUE_LENGTH_MAX) return text;
  const end = start + VALUE_LENGTH_MAX;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}
