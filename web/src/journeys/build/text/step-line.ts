import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import { namesIn } from "./names.ts";

/** The line of a step's id. Undefined if the text has no step of this name, or can't be read. */
export function lineOfStep(text: string, stepId: string): number | undefined {
  if (stepId === "") return undefined;
  const { value, positions } = parseText(text, { file: "" });
  const pointer = namesIn(value).steps.find(({ name }) => name === stepId)?.pointer;
  return pointer === undefined ? undefined : sourceOf(positions, pointer).line;
}
