import { childPointer } from "@waymark/openapi/pointer.ts";
import type { PartSchemas } from "../operations/change.ts";
import type { Place, SchemaNode } from "../read/node.ts";
import type { SchemaContext } from "../schemas/context.ts";
import type { Hop, Reached } from "../schemas/pair-graph.ts";
import type { Step } from "../schemas/pair-result.ts";
import type { Level, Verdict } from "../verdict.ts";
import { levelOf } from "./levels.ts";
import { scopeOf } from "./scope.ts";
import { sentenceOf } from "./sentences.ts";
import { witnessOf } from "./witness.ts";

/** A verdict before it is joined with those of other operations. */
export interface Draft extends Omit<Verdict, "fingerprint" | "accepted" | "witness" | "operations"> {
  operation: Verdict["operations"][number];
  /** The texts that identify the change. */
  identity: string[];
  /** Found when it is needed: many drafts are joined into one verdict. */
  findWitness: () => Verdict["witness"];
}

/** Returns the verdict on one difference of schemas at one place; undefined if it has no meaning there. */
export function draftOf(context: SchemaContext, use: PartSchemas, reached: Reached): Draft | undefined {
  const { finding, effect, route } = reached;
  // A value that is always sent needs no default.
  if (finding.kind.startsWith("default-") && isAlwaysSent(use, route)) return undefined;
  const level: Level = levelOf(finding, effect, use.mode, use.cap);
  const anchor = anchorOf(use, route);
  const steps = [...anchor.steps, ...(finding.step === undefined ? [] : [finding.step])];
  const path = pathText(steps);
  const place = anchor.name === undefined ? use.part : `schema ${anchor.name}`;
  const what = path === "" ? `the ${place}` : whatText(steps, path);
  const where = path === "" ? place : `${place}, ${path}`;
  return {
    id: `${use.mode}-${finding.kind}`,
    level,
    direction: use.mode,
    message: sentenceOf({ finding, effect, mode: use.mode, level, what }),
    at: where,
    operation: use.operation,
    before: finding.before,
    after: finding.after,
    reason: finding.reason,
    base: placeOf(finding.oldNode, reached.old, finding.keyword, finding.step) ?? use.base,
    head: placeOf(finding.newNode, reached.next, finding.keyword, finding.step) ?? use.head,
    identity: [
      `${use.mode}-${finding.kind}`,
      anchor.name === undefined ? `${scopeOf(use.base, use.operation)} ${use.part}` : `schema ${anchor.name}`,
      path,
      ...(finding.exact === undefined ? [finding.before ?? "", finding.after ?? ""] : [finding.exact]),
    ],
    findWitness: () => (level === "safe" ? undefined : witnessOf(context, reached, use.mode)),
  };
}

function isAlwaysSent(use: PartSchemas, route: readonly Hop[]): boolean {
  if (route.length === 0) return !use.optional;
  const last = route.at(-1);
  if (last?.step.kind !== "property") return false;
  const { name } = last.step;
  return last.from.next.some(({ value }) => listsName(value, name));
}

function listsName(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null || !("required" in value)) return false;
  return Array.isArray(value.required) && value.required.includes(name);
}

/** The last component on the way, and the steps from there: an edit around it doesn't change them. */
function anchorOf(
  { old, next }: PartSchemas,
  route: readonly Hop[],
): { name: string | undefined; steps: Step[] } {
  const nodes = [old, ...route.map((hop) => hop.old)];
  const others = [next, ...route.map((hop) => hop.next)];
  for (let index = nodes.length - 1; index >= 0; index--) {
    const name = nameOf(nodes[index]) ?? nameOf(others[index]);
    if (name !== undefined) return { name, steps: route.slice(index).map(({ step }) => step) };
  }
  return { name: undefined, steps: route.map(({ step }) => step) };
}

function nameOf(conjunction: readonly SchemaNode[] | undefined): string | undefined {
  return conjunction?.find(({ name }) => name !== undefined)?.name;
}

/** Returns the path of steps as text, such as `address.lines[].text`. */
function pathText(steps: readonly Step[]): string {
  let text = "";
  for (const step of steps) {
    if (step.kind === "property") text += text === "" ? step.name : `.${step.name}`;
    else if (step.kind === "item") text += step.index === undefined ? "[]" : `[${step.index}]`;
    else if (step.kind === "others") text += "{other names}";
    else if (step.kind === "pattern") text += `{names like ${step.source}}`;
    else if (step.kind === "names") text += "{names}";
    else text += ` (${step.keyword})`;
  }
  return text.trim();
}

function whatText(steps: readonly Step[], path: string): string {
  const last = steps.at(-1);
  if (last?.kind === "property") return `the property "${path}"`;
  return last?.kind === "item" ? `an item of "${path}"` : `"${path}"`;
}

function placeOf(
  node: SchemaNode | undefined,
  conjunction: readonly SchemaNode[],
  keyword: string | undefined,
  step: Step | undefined,
): Place | undefined {
  const found = node ?? conjunction.find(({ owner }) => owner !== undefined);
  if (found === undefined || found.owner === undefined) return undefined;
  const { value, file } = found;
  let { pointer } = found;
  if (keyword !== undefined && hasMember(value, keyword)) {
    pointer = childPointer(pointer, keyword);
    const name = step?.kind === "property" ? step.name : undefined;
    const inner = Object.entries(value).find(([key]) => key === keyword)?.[1];
    if (name !== undefined && hasMember(inner, name)) pointer = childPointer(pointer, name);
  }
  return { file, pointer };
}

function hasMember(value: unknown, key: string): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
}
