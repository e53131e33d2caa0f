import { ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { parseExpression } from "../expressions/parse.ts";
import type { Placed, RuleContext } from "./context.ts";

/** A name of this document, or of that of a source. */
export interface ScopedName {
  source?: string;
  name: string;
}

/** Reads `name` or `$sourceDescriptions.<source>.<name>`; undefined for any other text. */
export function parseScopedName(text: string): ScopedName | undefined {
  if (!text.startsWith("$")) return { name: text };
  const parsed = parseExpression(text);
  if (!parsed.ok || parsed.value.kind !== "source") return undefined;
  return { source: parsed.value.source, name: parsed.value.reference };
}

/** Reads `{$sourceDescriptions.<source>.url}#<pointer>`; undefined for any other text. */
export function parseOperationPath(text: string): { source: string; pointer: string } | undefined {
  const match = /^\{?\$sourceDescriptions\.([A-Za-z0-9_-]+)\.url\}?#(.*)$/su.exec(text);
  return match === null ? undefined : { source: match[1] ?? "", pointer: match[2] ?? "" };
}

/** A step of another workflow, of this document or that of a source. */
export interface ScopedStep {
  source?: string | undefined;
  workflow: string;
  step: string;
}

/** Reads how `dependsOn` names a step of another workflow; undefined for the id of a step of the same one. */
export function parseScopedStep(text: string): ScopedStep | undefined {
  const match =
    /^\$(?:workflows|sourceDescriptions\.(?<source>[\w-]+))\.(?<workflow>[\w-]+)\.steps\.(?<step>[\w-]+)$/.exec(
      text,
    );
  if (match === null) return undefined;
  const { source, workflow = "", step = "" } = match.groups ?? {};
  return { source, workflow, step };
}

/** The name in a reference to a component of the given kind; undefined for any other text. */
export function componentName(reference: string, kind: string): string | undefined {
  const parsed = parseExpression(reference);
  if (!parsed.ok || parsed.value.kind !== "component" || parsed.value.type !== kind) return undefined;
  return parsed.value.name;
}

/** The item itself, or the component that it refers to. Reports a reference that can't be resolved. */
export function resolveReusable(
  { root, report }: RuleContext,
  { value, pointer }: Placed,
  kind: string,
): JsonObject | undefined {
  if (!Object.hasOwn(value, "reference")) return value;
  const reference = ownString(value, "reference");
  if (reference === undefined) return undefined;
  const at = childPointer(pointer, "reference");
  const name = componentName(reference, kind);
  if (name === undefined) {
    const isExpression = parseExpression(reference).ok;
    const message = `"${reference}" is no reference to $components.${kind}.<name>.`;
    report(at, isExpression ? "wrong-component" : "invalid-expression", message);
    return undefined;
  }
  const component = ownObject(ownObject(ownObject(root, "components"), kind), name);
  if (component === undefined) report(at, "unknown-component", `There is no component "${name}" in ${kind}.`);
  return component;
}

/** Reports a workflow that is neither in this document nor in that of a declared source. */
export function workflowReference(
  { workflows, sources, report }: RuleContext,
  text: string,
  at: Pointer,
): void {
  const named = parseScopedName(text);
  if (named === undefined) {
    const message = "A workflow of another document is written $sourceDescriptions.<name>.<workflowId>.";
    report(at, "invalid-expression", message);
  } else if (named.source !== undefined) sourceReference({ sources, report }, named.source, at);
  else if (!workflows.has(named.name)) {
    report(at, "unknown-workflow", `There is no workflow "${named.name}" in this document.`);
  }
}

export function sourceReference(
  { sources, report }: Pick<RuleContext, "sources" | "report">,
  source: string,
  at: Pointer,
): void {
  if (!sources.has(source)) report(at, "unknown-source", `There is no source description "${source}".`);
}
