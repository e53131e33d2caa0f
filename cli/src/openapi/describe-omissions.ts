import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import { isObject, type JsonObject } from "@waymark/openapi/json.ts";
import { plural, printable } from "../lib/text.ts";
import type { Operations } from "./list-operations.ts";

const NAMED_MAX = 5;

/** What a scan doesn't have of a description, one sentence each. */
export function describeOmissions(
  { operations, unsupported, misspelled }: Operations,
  { root, duplicatePaths }: { root: JsonObject; duplicatePaths: readonly string[] },
): string[] {
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
  if (duplicatePaths.length > 0) {
    const paths = duplicatePaths.length === 1 ? "1 path stands" : `${duplicatePaths.length} paths stand`;
    notes.push(`${paths} more than once, and only the last one counts: ${named(duplicatePaths)}.`);
  }
  const webhooks = isObject(root["webhooks"]) ? Object.keys(root["webhooks"]).length : 0;
  if (operations.length === 0 && webhooks > 0) {
    notes.push(
      `the description has ${plural(webhooks, "webhook")} and no operations under paths, so the scan has no endpoints: ` +
        "webhooks are requests that the service sends.",
    );
  }
  return notes;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).map((name) => printable(name, 100));
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
