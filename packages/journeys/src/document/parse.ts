import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { ArazzoDocument } from "./model.ts";
import { parseText } from "./parse-text.ts";
import type { ParsedText, ParseOptions } from "./parse-text.ts";
import { sourceOf } from "./positions.ts";
import { hasErrors, sortProblems } from "./problem.ts";
import type { Position, Problem } from "./problem.ts";
import { checkStructure } from "./structure.ts";

/** A parsed Arazzo document: `raw` for code that handles faults, `model` if the structure is valid. */
export interface JourneyDocument extends ParsedText {
  raw: JsonObject | undefined;
  /** Undefined as soon as `problems` has an error. Same content as `raw`. */
  model: ArazzoDocument | undefined;
  /** Place of the node, or of its nearest ancestor. */
  sourceOf: (pointer: Pointer) => Position;
}

/**
 * Parses a YAML or JSON text into the typed model. Syntax and structure are checked here, all faults at once;
 * what needs more than one field (ids, references) is `checkDocument`'s. Never throws because of the text.
 */
export function parseDocument(text: string, options: ParseOptions): JourneyDocument {
  const parsed = parseText(text, options);
  const { value, positions } = parsed;
  const locate = (pointer: Pointer): Position => sourceOf(positions, pointer);
  const document = { ...parsed, sourceOf: locate };
  if (value === undefined) return { ...document, raw: undefined, model: undefined };
  if (!isObject(value)) {
    const message =
      "An Arazzo document is an object with the fields arazzo, info, sourceDescriptions and workflows.";
    const problem: Problem = { severity: "error", code: "wrong-type", message, pointer: "", ...locate("") };
    return { ...document, problems: [...parsed.problems, problem], raw: undefined, model: undefined };
  }
  // After a syntax fault the value is a guess, so reporting its missing fields would mislead.
  if (hasErrors(parsed.problems)) return { ...document, raw: value, model: undefined };
  const structure = checkStructure(ArazzoDocument, value, positions);
  const problems = sortProblems([...parsed.problems, ...structure.problems]);
  return { ...document, problems, raw: value, model: hasErrors(problems) ? undefined : structure.data };
}
