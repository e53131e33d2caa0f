import { isObject } from "@waymark/openapi/json.ts";
import type { JsonPrimitive, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { TextPatch } from "./patch.ts";
import type { renaming } from "./rename.ts";
import { scalarPatch } from "./scalars.ts";
import { locate } from "./syntax.ts";
import type { Source } from "./syntax.ts";

export interface ChangedText {
  pointer: Pointer;
  from: JsonPrimitive;
  to: JsonPrimitive;
}

/** Scalars that differ between two documents of the same shape. */
export function changedTexts(
  before: JsonValue,
  after: JsonValue | undefined,
  pointer: Pointer,
): ChangedText[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.flatMap((item, index) => changedTexts(item, after[index], childPointer(pointer, index)));
  }
  if (isObject(before) && isObject(after)) {
    return Object.entries(before).flatMap(([key, item]) =>
      changedTexts(item, after[key], childPointer(pointer, key)),
    );
  }
  if (before === after || typeof before === "object" || typeof after === "object" || after === undefined)
    return [];
  return [{ pointer, from: before, to: after }];
}

/** Changes only the characters of the name, wherever they occur in the text of the scalar. */
export function renamePatches(
  source: Source,
  changed: ChangedText[],
  names: ReturnType<typeof renaming>,
): TextPatch[] {
  const patches = new Map<number, TextPatch>();
  for (const { pointer, from, to } of changed) {
    const located = locate(source, pointer);
    const [start, end] = located.node?.range ?? [0, 0];
    const old = source.text.slice(start, end);
    const rewritten =
      from === names.from
        ? old.replace(names.from, () => names.to)
        : provenBy(names.expressions(old), names, from);
    const patch =
      old === rewritten ? scalarPatch(source, located, to, pointer) : { start, end, text: rewritten };
    patches.set(patch.start, patch);
  }
  return [...patches.values()];
}

function provenBy(text: string, { from, to }: ReturnType<typeof renaming>, value: JsonPrimitive): string {
  const isReference = typeof value === "string" && value.startsWith(`${from}#`);
  return isReference ? text.replace(`${from}#`, () => `${to}#`) : text;
}
