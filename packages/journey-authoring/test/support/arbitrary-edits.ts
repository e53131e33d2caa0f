import * as fc from "fast-check";
import { isObject, ownArray, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer, parentPointer, valueAt } from "@waymark/openapi/pointer.ts";
import type { EditCommand } from "../../src/edit/command.ts";

/** A choice that fits any document: what it comes to is decided by the document as it is then. */
export interface EditChoice {
  op: EditCommand["op"];
  place: number;
  at: number;
  value: JsonValue;
  name: string;
}

const OPS = [
  "setScalar",
  "setValue",
  "insertItem",
  "moveItem",
  "removeValue",
  "wrapValue",
  "insertStep",
  "moveStep",
  "removeStep",
  "renameStep",
  "renameAssertion",
] as const;

const text = fc.oneof(
  fc.string({ maxLength: 12, unit: "grapheme" }),
  fc.constantFrom(
    "$statusCode == 200",
    "two\nlines\n",
    "a: b",
    "# c",
    "[x",
    "- y",
    "null",
    " x ",
    "{$inputs.x}",
  ),
);
const scalar = fc.oneof(text, fc.integer({ min: -1e6, max: 1e6 }), fc.boolean(), fc.constant(null));
const { value: json } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,8}$/), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));

export const editChoices = fc.array(
  fc.record<EditChoice>({
    op: fc.constantFrom(...OPS),
    place: fc.nat(),
    at: fc.nat(),
    value: json,
    name: fc.stringMatching(/^[a-z]{4}[0-9]{6}$/),
  }),
  { minLength: 1, maxLength: 8 },
);

/** The command that a choice comes to in a document; undefined where the document has nothing for it. */
export function commandFrom(root: JsonObject, choice: EditChoice): EditCommand | undefined {
  const { op, place, at, value, name } = choice;
  const pick = (pointers: string[]): string | undefined => pointers[place % pointers.length];
  const all = pointersOf(root, "").slice(1);
  switch (op) {
    case "setScalar": {
      const pointer = pick(all.filter((item) => !isCollection(valueAt(root, item))));
      if (pointer === undefined || isCollection(value)) return undefined;
      return { op, pointer, value };
    }
    case "setValue": {
      const found = pick(all);
      if (found === undefined) return undefined;
      const isNew = at % 3 === 0 && isObject(valueAt(root, found));
      return { op, pointer: isNew ? childPointer(found, `x-${name}`) : found, value };
    }
    case "insertItem": {
      const pointer = pick(all.filter((item) => Array.isArray(valueAt(root, item))));
      if (pointer === undefined) return undefined;
      return { op, pointer, at: at % (lengthOf(root, pointer) + 1), value };
    }
    case "moveItem": {
      const pointer = pick(all.filter((item) => Array.isArray(valueAt(root, parentPointer(item)))));
      if (pointer === undefined) return undefined;
      return { op, pointer, to: at % lengthOf(root, parentPointer(pointer)) };
    }
    case "removeValue": {
      const pointer = pick(all);
      return pointer === undefined ? undefined : { op, pointer };
    }
    case "wrapValue": {
      const pointer = pick(all);
      if (pointer === undefined) return undefined;
      return at % 2 === 0 ? { op, pointer } : { op, pointer, key: name };
    }
    default:
      return stepCommand(root, choice);
  }
}

function stepCommand(root: JsonObject, { op, place, at, value, name }: EditChoice): EditCommand | undefined {
  const workflows = ownArray(root, "workflows");
  const workflow = workflows[place % Math.max(1, workflows.length)];
  const workflowId = ownString(workflow, "workflowId");
  const ids = ownArray(workflow, "steps").map((step) => ownString(step, "stepId"));
  const stepId = ids[place % Math.max(1, ids.length)];
  const neighbour = ids[at % Math.max(1, ids.length)];
  if (workflowId === undefined || stepId === undefined || neighbour === undefined) return undefined;
  // An edit before may have emptied a name: no command can name that.
  if ([workflowId, stepId, neighbour].includes("")) return undefined;
  if (ids.includes(undefined) || new Set(ids).size < ids.length) return undefined;
  const side = at % 2 === 0 ? { before: neighbour } : { after: neighbour };
  if (op === "insertStep")
    return { op, workflowId, step: { stepId: name, "x-value": value, operationId: "o" }, ...side };
  if (op === "moveStep") return { op, workflowId, stepId, ...side };
  if (op === "renameStep") return { op, workflowId, stepId, to: name };
  if (op === "renameAssertion") {
    const criteria = ownArray(ownArray(workflow, "steps")[ids.indexOf(stepId)], "successCriteria");
    const id = ownString(criteria[at % Math.max(1, criteria.length)], "x-id");
    return id === undefined ? undefined : { op, workflowId, stepId, id, to: name };
  }
  return op === "removeStep" && ids.length > 1 ? { op, workflowId, stepId } : undefined;
}

function lengthOf(root: JsonObject, pointer: string): number {
  const list = valueAt(root, pointer);
  return Array.isArray(list) ? list.length : 0;
}

function isCollection(value: JsonValue | undefined): value is JsonValue[] | JsonObject {
  return typeof value === "object" && value !== null;
}

/** Every pointer of a document, parents first. */
export function pointersOf(value: JsonValue | undefined, pointer: string): string[] {
  if (!isCollection(value)) return [pointer];
  const below = Object.entries(value).flatMap(([key, member]) =>
    pointersOf(member, childPointer(pointer, key)),
  );
  return [pointer, ...below];
}
