import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import { isObject, type JsonValue, ownArray, ownString } from "@waymark/openapi/json.ts";
import { childPointer, type Pointer } from "@waymark/openapi/pointer.ts";
import { namesIn } from "./names.ts";

/** The line of a step's id. Undefined if the text has no step of this name, or can't be read. */
export function lineOfStep(text: string, stepId: string): number | undefined {
  if (stepId === "") return undefined;
  const { value, positions } = parseText(text, { file: "" });
  const pointer = namesIn(value).steps.find(({ name }) => name === stepId)?.pointer;
  return pointer === undefined ? undefined : sourceOf(positions, pointer).line;
}

/** The step whose lines have a line. Undefined if no step has it, or the text can't be read. */
export function stepAtLine(text: string, line: number): string | undefined {
  const { value, positions } = parseText(text, { file: "" });
  let nearest: { line: number; stepId: string | undefined } = { line: 0, stepId: undefined };
  for (const { pointer, stepId } of partsOf(value)) {
    const start = sourceOf(positions, pointer).line;
    if (start <= line && start >= nearest.line) nearest = { line: start, stepId };
  }
  return nearest.stepId;
}

/**
 * Yields the steps of a journey, and the parts that can follow a step: members of the document and of its workflows.
 */
function* partsOf(value: JsonValue | undefined): Generator<{ pointer: Pointer; stepId: string | undefined }> {
  yield* membersOf(value, "");
  for (const [index, workflow] of ownArray(value, "workflows").entries()) {
    const at = `/workflows/${index}`;
    yield { pointer: at, stepId: undefined };
    yield* membersOf(workflow, at);
    for (const [number, step] of ownArray(workflow, "steps").entries())
      yield { pointer: `${at}/steps/${number}`, stepId: ownString(step, "stepId") };
  }
}

function membersOf(value: JsonValue | undefined, at: Pointer) {
  if (!isObject(value)) return [];
  return Object.keys(value).map((key) => ({ pointer: childPointer(at, key), stepId: undefined }));
}
