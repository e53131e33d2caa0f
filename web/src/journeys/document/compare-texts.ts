import {
  compareDocuments,
  type DocumentChange,
} from "@waymark/journey-authoring/compare/compare-documents.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { showValue } from "../run/show-value.ts";

const VALUE_LENGTH_MAX = 200;
/** Reading a longer one would stop the page for more than a second. */
const TEXT_LENGTH_MAX = 500_000;

/** A difference in meaning, in words. */
export interface DescribedChange {
  where: string;
  kind: DocumentChange["kind"];
  before: string;
  after: string;
}

export interface VersionText {
  version: number;
  text: string;
}

/** What two versions of a document differ in, by steps and fields; a sentence if they can't be compared so. */
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

function describe({ place, member, kind, before, after, follows }: DocumentChange): DescribedChange {
  return {
    where: [...place, ...(member.length === 0 ? [] : [member.join(".")])].join(" › ") || "the document",
    kind,
    before: short(before),
    after: kind === "moved" ? (follows === undefined ? "first" : `after ${follows}`) : short(after),
  };
}

function short(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  const text = showValue(value);
  return text.length <= VALUE_LENGTH_MAX ? text : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}
