import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import { isObject, type JsonObject } from "@waymark/openapi/json.ts";
import { plural, printable } from "../lib/text.ts";
import { DUPLICATES_MAX, type DuplicateKey } from "@waymark/openapi/parse/duplicate-keys.ts";
import { formatLocation } from "./document.ts";
import type { SourceFile } from "./reference-files.ts";
import { type Operations, placeOf } from "./list-operations.ts";

const NAMED_MAX = 5;

/** Describes what a scan leaves out of a description, one sentence each. */
export async function describeOmissions(
  { operations, unsupported, misspelled, empty }: Operations,
  { root, files }: { root: JsonObject; files: readonly SourceFile[] },
): Promise<string[]> {
  const notes: string[] = [];
  if (unsupported.length > 0) {
    notes.push(
      `${plural(unsupported.length, "operation")} left out, because scans support only the methods ` +
        `${HTTP_METHODS.join(", ")} of a path item: ${named(unsupported)}.`,
    );
  }
  if (misspelled.length > 0) {
    notes.push(
      `${plural(misspelled.length, "operation")} left out, because OpenAPI writes methods in lower case: ${named(misspelled)}.`,
    );
  }
  if (empty.length > 0) {
    const count = empty.length === 1 ? "1 path or operation" : `${empty.length} paths or operations`;
    // Some serializers write null for every method that a path doesn't have.
    const shown = empty.slice(0, NAMED_MAX).map(async ({ name, at }) => `${name} (${await placeOf(at)})`);
    const names = [...(await Promise.all(shown)), ...empty.slice(NAMED_MAX).map(({ name }) => name)];
    notes.push(`${count} left out, because the value is missing: ${named(names)}.`);
  }
  notes.push(...describeDuplicates(files.map(({ name, document }) => ({ name, ...document }))));
  const webhooks = isObject(root["webhooks"]) ? Object.keys(root["webhooks"]).length : 0;
  if (operations.length === 0 && webhooks > 0) {
    notes.push(
      `the description has ${plural(webhooks, "webhook")} and no operations under paths, so the scan has no endpoints: ` +
        "webhooks are requests that the service sends.",
    );
  }
  return notes;
}

/** Describes the keys that occur more than once in files, in one sentence or none. */
export function describeDuplicates(
  files: readonly { name: string; duplicateKeys: readonly DuplicateKey[] }[],
): string[] {
  const duplicates = files
    .flatMap(({ name, duplicateKeys }) => duplicateKeys.map((key) => ({ name, key })))
    .toSorted((a, b) => rankOf(a.key) - rankOf(b.key))
    .map(({ name, key }) => describeDuplicate(name, key));
  if (duplicates.length === 0) return [];
  const count = `${duplicates.length}${duplicates.length < DUPLICATES_MAX ? "" : " or more"}`;
  const keys = duplicates.length === 1 ? "1 key occurs" : `${count} keys occur`;
  return [`${keys} more than once, and only the last one counts: ${named(duplicates)}.`];
}

/** Keys that lose endpoints come first, because only some keys are named. */
function rankOf({ path: [section, ...below] }: DuplicateKey): number {
  return section === "paths" && below.length <= 2 ? below.length : 3;
}

function describeDuplicate(name: string, { path, lines }: DuplicateKey): string {
  return `${formatLocation(path)} (${name}:${lines.join(", ")})`;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).map((name) => printable(name, 200));
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
