import { isObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { JourneyDocument } from "../document/parse.ts";
import { sortProblems } from "../document/problem.ts";
import type { Position, Problem } from "../document/problem.ts";
import type { AppliedOverlays } from "../overlay/provenance.ts";
import { contextOf, placedItems } from "./context.ts";
import { componentRules, documentRules } from "./document-rules.ts";
import { workflowRules } from "./workflow-rules.ts";

/**
 * All problems that a document has on its own: of syntax, of structure, and by the rules. A document with overlays is checked with
 * them applied; each problem names the file that it is in.
 */
export function checkDocument(document: JourneyDocument | AppliedOverlays): Problem[] {
  const found = problemsOf(document.raw, (pointer) => document.sourceOf(pointer));
  return sortProblems([...document.problems, ...found]);
}

/**
 * Applies the rules: ids, references between parts of the document, conditions, acceptance. They read the plain value and not the
 * model, so that they also apply to a document with an invalid structure. What needs descriptions, or depends on where an expression
 * stands, the compiler checks; it applies these rules first.
 */
export function problemsOf(root: unknown, sourceOf: (pointer: Pointer) => Position): Problem[] {
  if (!isObject(root)) return [];
  const { context, problems } = contextOf(root, sourceOf);
  documentRules(context);
  componentRules(context);
  for (const workflow of placedItems(root, "workflows", "")) workflowRules(context, workflow);
  return sortProblems(problems);
}
