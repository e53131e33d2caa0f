import { ownArray, ownValue } from "@waymark/openapi/json.ts";

/**
 * Whether a document was written as a journey: it contains `x-journey`. Other Arazzo documents don't know this tool's rules for
 * secrets, so a violation is a warning, and the document runs.
 */
export function isOwnJourney(document: unknown): boolean {
  return (
    isExtended(ownValue(document, "info")) ||
    ownArray(document, "workflows").some(
      (workflow) => isExtended(workflow) || ownArray(workflow, "steps").some(isExtended),
    )
  );
}

function isExtended(value: unknown): boolean {
  return ownValue(value, "x-journey") !== undefined;
}
