import { isObject, ownArray, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { PARSE_LIMITS } from "../document/limits.ts";
import type { Position, Problem, Severity } from "../document/problem.ts";

/** What the rules look at: the document as it was read, faults included, so that all rules can speak at once. */
export interface LintContext {
  root: JsonObject;
  /** 1.0.x documents lack some fields. */
  minor: 0 | 1;
  sources: ReadonlySet<string>;
  workflows: ReadonlyMap<string, JsonObject>;
  /** By workflow. */
  stepIds: ReadonlyMap<string, ReadonlySet<string>>;
  report: (severity: Severity, code: string, message: string, pointer: Pointer) => void;
}

export interface Placed {
  value: JsonObject;
  pointer: Pointer;
}

/** Objects in the list `key` of an object, with their places. */
export function placedItems(holder: JsonValue | undefined, key: string, pointer: Pointer): Placed[] {
  const at = childPointer(pointer, key);
  return ownArray(holder, key).flatMap((value, index) =>
    isObject(value) ? [{ value, pointer: childPointer(at, index) }] : [],
  );
}

/** Objects among the members of the object `key` of an object. */
export function placedMembers(holder: JsonValue | undefined, key: string, pointer: Pointer): Placed[] {
  const members = isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
  if (!isObject(members)) return [];
  const at = childPointer(pointer, key);
  return Object.entries(members).flatMap(([name, value]) =>
    isObject(value) ? [{ value, pointer: childPointer(at, name) }] : [],
  );
}

export function contextOf(
  root: JsonObject,
  sourceOf: (pointer: Pointer) => Position,
): { context: LintContext; problems: Problem[] } {
  const problems: Problem[] = [];
  const names = ownArray(root, "sourceDescriptions").flatMap((source) => ownString(source, "name") ?? []);
  const workflows = new Map<string, JsonObject>();
  for (const workflow of ownArray(root, "workflows")) {
    const id = ownString(workflow, "workflowId");
    if (id !== undefined && isObject(workflow) && !workflows.has(id)) workflows.set(id, workflow);
  }
  const stepIds = new Map<string, Set<string>>();
  for (const [id, workflow] of workflows) {
    stepIds.set(id, new Set(ownArray(workflow, "steps").flatMap((step) => ownString(step, "stepId") ?? [])));
  }
  const context: LintContext = {
    root,
    minor: ownString(root, "arazzo")?.startsWith("1.0.") === true ? 0 : 1,
    sources: new Set(names),
    workflows,
    stepIds,
    report: (severity, code, message, pointer) => {
      if (problems.length >= PARSE_LIMITS.problems) return;
      problems.push({ severity, code, message, pointer, ...sourceOf(pointer) });
    },
  };
  return { context, problems };
}

/** Reports every value of `key` that stands more than once among the items. */
export function reportDuplicates(
  context: LintContext,
  items: readonly Placed[],
  key: string,
  what: string,
): void {
  const seen = new Set<string>();
  for (const { value, pointer } of items) {
    const id = ownString(value, key);
    if (id === undefined) continue;
    if (seen.has(id)) {
      context.report(
        "error",
        "duplicate-id",
        `There is another ${what} ${id}; ids are unique.`,
        childPointer(pointer, key),
      );
    }
    seen.add(id);
  }
}
