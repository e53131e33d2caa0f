import type { JsonObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { JourneyDocument } from "../document/parse.ts";
import { sortProblems } from "../document/problem.ts";
import type { Position, Problem } from "../document/problem.ts";
import type { AppliedOverlays } from "../overlay/provenance.ts";
import { contextOf, placedItems } from "./context.ts";
import { documentRules } from "./document-rules.ts";
import { componentRules } from "./reference-rules.ts";
import { workflowCycles, workflowRules } from "./workflow-rules.ts";

/**
 * All faults of a document at once: those of its syntax and structure, and those that need more than one field: ids,
 * references, acceptance, secrets. A document with overlays is linted as applied, each fault in the file that holds it.
 */
export function lintDocument(document: JourneyDocument | AppliedOverlays): Problem[] {
  if (document.raw === undefined) return sortProblems(document.problems);
  const found = lintValue(document.raw, (pointer) => document.sourceOf(pointer));
  return sortProblems([...document.problems, ...found]);
}

/** The rules alone, over a value that was read or made. */
export function lintValue(root: JsonObject, sourceOf: (pointer: Pointer) => Position): Problem[] {
  const { context, problems } = contextOf(root, sourceOf);
  documentRules(context);
  componentRules(context);
  workflowCycles(context);
  for (const workflow of placedItems(root, "workflows", "")) workflowRules(context, workflow);
  return sortProblems(problems);
}
