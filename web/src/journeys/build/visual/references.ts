import type { JsonValue } from "@waymark/openapi/json.ts";
import { isObject } from "@waymark/openapi/json.ts";

/** A source that a value reads: an output of another step, an input, or a variable. */
export type Reference =
  | { kind: "step"; step: string; output: string }
  | { kind: "input" | "variable"; name: string };

const EXPRESSION =
  /\$steps\.([A-Za-z0-9_-]+)\.(?:outputs\.)?([A-Za-z0-9._-]+)|\$(inputs|vars)\.([A-Za-z0-9._-]+)/g;

/** The references in all texts of a value, each once. Only for showing: the engine decides what an expression means. */
export function referencesIn(value: JsonValue | undefined): Reference[] {
  const found = new Map<string, Reference>();
  textsIn(value, (text) => {
    for (const [all, step, output, root, name] of text.matchAll(EXPRESSION)) {
      if (step !== undefined && output !== undefined) found.set(all, { kind: "step", step, output });
      else if (name !== undefined) found.set(all, { kind: root === "vars" ? "variable" : "input", name });
    }
  });
  return [...found.values()];
}

/** Calls with each text of a value. */
export function textsIn(value: JsonValue | undefined, onText: (text: string) => void): void {
  if (typeof value === "string") onText(value);
  else if (Array.isArray(value)) for (const item of value) textsIn(item, onText);
  else if (isObject(value)) for (const member of Object.values(value)) textsIn(member, onText);
}

export function describeReference(reference: Reference): string {
  return reference.kind === "step"
    ? `${reference.output} of step ${reference.step}`
    : `${reference.kind} ${reference.name}`;
}

/** True if a reference reads this output, or a part of it: names may have dots. */
export function readsOutput(reference: Reference, step: string, output: string): boolean {
  return (
    reference.kind === "step" &&
    reference.step === step &&
    (reference.output === output || reference.output.startsWith(`${output}.`))
  );
}
