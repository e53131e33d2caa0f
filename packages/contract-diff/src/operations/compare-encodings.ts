import type { MediaType, PartEncoding } from "../read/operation.ts";
import { addChange, type OperationPair, placeOf } from "./change.ts";
import type { ContentPair } from "./compare-content.ts";

const NONE: PartEncoding = {
  contentTypes: undefined,
  style: undefined,
  explode: undefined,
  requiredHeaders: new Set(),
};

/** Compares how the parts of a form are written. */
export function compareEncodings(
  pair: OperationPair,
  content: ContentPair,
  old: MediaType,
  next: MediaType,
): void {
  for (const name of new Set([...old.encoding.keys(), ...next.encoding.keys()])) {
    const [before, after] = [old.encoding.get(name) ?? NONE, next.encoding.get(name) ?? NONE];
    const changes = [
      refusesType(before, after) ? "contentType" : undefined,
      styleOf(before) === styleOf(after) ? undefined : "style",
      [...after.requiredHeaders].every((header) => before.requiredHeaders.has(header))
        ? undefined
        : "headers",
    ].filter((change) => change !== undefined);
    for (const change of changes) {
      addChange(pair, {
        kind: "encoding-changed",
        level: "breaking",
        direction: content.mode,
        part: `${content.part} ${next.name}`,
        message: `The ${change} of the part "${name}" changed: what clients send is no longer read.`,
        before: `${change}: ${describe(before, change)}`,
        after: `${change}: ${describe(after, change)}`,
        base: placeOf(old.at),
        head: placeOf(next.at),
      });
    }
  }
}

/** Without a content type, the part has the one of its schema, which a listed one may not have. */
function refusesType(before: PartEncoding, after: PartEncoding): boolean {
  if (after.contentTypes === undefined || after.contentTypes.includes("*/*")) return false;
  const accepted = new Set(after.contentTypes);
  if (before.contentTypes === undefined) return true;
  const isAccepted = (type: string) => accepted.has(type) || accepted.has(`${type.split("/")[0]}/*`);
  return !before.contentTypes.every(isAccepted);
}

function styleOf({ style, explode }: PartEncoding): string {
  return style === undefined && explode === undefined
    ? ""
    : `${style ?? "form"} ${explode ?? style === "form"}`;
}

function describe(encoding: PartEncoding, change: string): string {
  if (change === "contentType") return encoding.contentTypes?.join(", ") ?? "not set";
  return change === "style"
    ? styleOf(encoding) || "not set"
    : [...encoding.requiredHeaders].join(", ") || "none";
}
