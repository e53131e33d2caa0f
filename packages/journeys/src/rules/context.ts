import { isObject, ownArray, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { isOwnJourney } from "../document/own-journey.ts";
import { PARSE_LIMITS } from "../document/limits.ts";
import type { Position, Problem, Severity } from "../document/problem.ts";

/** The input of the rules, and the functions by which they report. */
export interface RuleContext {
  root: JsonObject;
  /** 1.0.x documents lack some fields. */
  minor: 0 | 1;
  /** Whether the document was written as a journey. */
  isOwn: boolean;
  sources: ReadonlySet<string>;
  workflows: ReadonlySet<string>;
  /** The ids of steps by workflow. */
  stepIds: ReadonlyMap<string, ReadonlySet<string>>;
  report: (pointer: Pointer, code: string, message: string, severity?: Severity) => void;
}

export interface Placed {
  value: JsonObject;
  pointer: Pointer;
}

/** Objects in the list `key` of an object, with their pointers. */
export function placedItems(holder: JsonValue | undefined, key: string, pointer: Pointer): Placed[] {
  const at = childPointer(pointer, key);
  return ownArray(holder, key).flatMap((value, index) =>
    isObject(value) ? [{ value, pointer: childPointer(at, index) }] : [],
  );
}

/** Strings in the list `key` of an object, with their pointers. */
export function placedTexts(
  holder: JsonValue | undefined,
  key: string,
  pointer: Pointer,
): { text: string; at: Pointer }[] {
  const list = childPointer(pointer, key);
  return ownArray(holder, key).flatMap((text, index) =>
    typeof text === "string" ? [{ text, at: childPointer(list, index) }] : [],
  );
}

/** Objects among the members of the object `key` of an object, with their pointers. */
export function placedMembers(holder: JsonValue | undefined, key: string, pointer: Pointer): Placed[] {
  const at = childPointer(pointer, key);
  return Object.entries(ownObject(holder, key) ?? {}).flatMap(([name, value]) =>
    isObject(value) ? [{ value, pointer: childPointer(at, name) }] : [],
  );
}

export function contextOf(
  root: JsonObject,
  sourceOf: (pointer: Pointer) => Position,
): { context: RuleContext; problems: Problem[] } {
  const problems: Problem[] = [];
  const names = ownArray(root, "sourceDescriptions").flatMap((source) => ownString(source, "name") ?? []);
  const stepIds = new Map<string, Set<string>>();
  for (const workflow of ownArray(root, "workflows")) {
    const id = ownString(workflow, "workflowId");
    if (id !== undefined && !stepIds.has(id)) stepIds.set(id, idsOf(ownArray(workflow, "steps"), "stepId"));
  }
  const context: RuleContext = {
    root,
    minor: ownString(root, "arazzo")?.startsWith("1.0.") === true ? 0 : 1,
    isOwn: isOwnJourney(root),
    sources: new Set(names),
    workflows: new Set(stepIds.keys()),
    stepIds,
    report: (pointer, code, message, severity = "error") => {
      if (problems.length >= PARSE_LIMITS.problems) return;
      problems.push({ severity, code, message, pointer, ...sourceOf(pointer) });
    },
  };
  return { context, problems };
}

export function idsOf(items: readonly JsonValue[], key: string): Set<string> {
  return new Set(items.flatMap((item) => ownString(item, key) ?? []));
}

/** Reports every value of `key` that stands more than once among the items. */
export function reportDuplicates(
  { report }: RuleContext,
  items: readonly Placed[],
  key: string,
  things: string,
): void {
  const seen = new Set<string>();
  for (const { value, pointer } of items) {
    const id = ownString(value, key);
    if (id === undefined) continue;
    if (seen.has(id)) {
      report(childPointer(pointer, key), "duplicate-id", `Two ${things} are named "${id}": rename one.`);
    }
    seen.add(id);
  }
}
