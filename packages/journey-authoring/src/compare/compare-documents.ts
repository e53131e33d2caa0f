import { isObject, jsonEqual, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonArray, JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { longestCommonSubsequence } from "./longest-common-subsequence.ts";

/** One difference in meaning between two versions of a journey, an overlay or a description. */
export interface DocumentChange {
  /** The items around the difference, from the outside in: `workflow main`, `step pay`, `assertion ok`. */
  items: string[];
  /** The field of the last item, as keys: `requestBody`, `payload`. Empty if the item itself was added, removed or moved. */
  field: string[];
  kind: "added" | "removed" | "changed" | "moved";
  before?: JsonValue;
  after?: JsonValue;
  /** The item that a moved item follows now; undefined if it is the first. */
  follows?: string;
}

interface ItemKind {
  /** The word for an item, such as `step`. */
  word: string;
  idOf: (item: JsonObject) => string | undefined;
  /** The order of its items means something. */
  isOrdered: boolean;
}

const byName = (key: string) => (item: JsonObject) => ownString(item, key);

/** Lists whose items keep their identity when they move, by the key that holds the list. */
const LISTS: ReadonlyMap<string, ItemKind> = new Map([
  ["workflows", { word: "workflow", idOf: byName("workflowId"), isOrdered: true }],
  ["steps", { word: "step", idOf: byName("stepId"), isOrdered: true }],
  ["sourceDescriptions", { word: "source", idOf: byName("name"), isOrdered: false }],
  ["parameters", { word: "parameter", idOf: parameterId, isOrdered: false }],
  ["successCriteria", { word: "assertion", idOf: assertionId, isOrdered: false }],
  ["onSuccess", { word: "success action", idOf: actionId, isOrdered: true }],
  ["onFailure", { word: "failure action", idOf: actionId, isOrdered: true }],
  ["acceptanceCriteria", { word: "criterion", idOf: byName("id"), isOrdered: false }],
  ["teardown", { word: "teardown", idOf: byName("step"), isOrdered: true }],
  ["actions", { word: "action on", idOf: byName("target"), isOrdered: true }],
]);

function parameterId(item: JsonObject): string | undefined {
  const name = ownString(item, "name");
  const where = ownString(item, "in");
  return name === undefined || where === undefined
    ? (name ?? ownString(item, "reference"))
    : `${name} in ${where}`;
}

function assertionId(item: JsonObject): string | undefined {
  return ownString(item, "x-id") ?? ownString(item, "condition");
}

function actionId(item: JsonObject): string | undefined {
  return ownString(item, "name") ?? ownString(item, "reference");
}

type At = Pick<DocumentChange, "items" | "field">;

/**
 * Lists the differences between two versions of a document, in the order of the newer one. Format and layout make no
 * difference. Steps, assertions and other named items are compared by name, not by line.
 */
export function compareDocuments(before: JsonValue, after: JsonValue): DocumentChange[] {
  return compareValues(before, after, { items: [], field: [] });
}

function compareValues(before: JsonValue, after: JsonValue, at: At): DocumentChange[] {
  if (jsonEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) return compareObjects(before, after, at);
  if (Array.isArray(before) && Array.isArray(after)) {
    const kind = LISTS.get(at.field.at(-1) ?? "");
    const named = kind && { before: namedItems(before, kind), after: namedItems(after, kind) };
    if (kind && named?.before && named.after) return compareItems(named.before, named.after, { at, kind });
  }
  return [{ ...at, kind: "changed", before, after }];
}

function compareObjects(before: JsonObject, after: JsonObject, { items, field }: At): DocumentChange[] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [...Object.keys(after), ...removed].flatMap((key): DocumentChange[] => {
    const at = { items, field: [...field, key] };
    const [old, now] = [ownValue(before, key), ownValue(after, key)];
    if (old === undefined) return now === undefined ? [] : [{ ...at, kind: "added", after: now }];
    return now === undefined ? [{ ...at, kind: "removed", before: old }] : compareValues(old, now, at);
  });
}

/** The items by name; undefined if one has no name, or two have the same. */
function namedItems(items: JsonArray, { idOf }: ItemKind): Map<string, JsonObject> | undefined {
  const named = new Map<string, JsonObject>();
  for (const item of items) {
    const id = isObject(item) ? idOf(item) : undefined;
    if (id === undefined || named.has(id) || !isObject(item)) return undefined;
    named.set(id, item);
  }
  return named;
}

function compareItems(
  before: ReadonlyMap<string, JsonObject>,
  after: ReadonlyMap<string, JsonObject>,
  { at, kind: { word, isOrdered } }: { at: At; kind: ItemKind },
): DocumentChange[] {
  const nameOf = (id: string) => `${word} ${id}`;
  const atOf = (id: string): At => ({ items: [...at.items, nameOf(id)], field: [] });
  const ids = [...after.keys()];
  // Items outside this sequence have moved.
  const staying = new Set(
    longestCommonSubsequence(
      [...before.keys()].filter((id) => after.has(id)),
      ids.filter((id) => before.has(id)),
    ),
  );
  const changes = ids.flatMap((id, index): DocumentChange[] => {
    const [old, now] = [before.get(id), after.get(id)];
    if (now === undefined) return [];
    if (old === undefined) return [{ ...atOf(id), kind: "added", after: now }];
    const previous = ids[index - 1];
    const follows = previous === undefined ? {} : { follows: nameOf(previous) };
    const moved: DocumentChange[] =
      isOrdered && !staying.has(id) ? [{ ...atOf(id), kind: "moved", ...follows }] : [];
    return [...moved, ...compareValues(old, now, atOf(id))];
  });
  const removed = [...before].filter(([id]) => !after.has(id));
  return [
    ...changes,
    ...removed.map(([id, item]): DocumentChange => ({ ...atOf(id), kind: "removed", before: item })),
  ];
}
