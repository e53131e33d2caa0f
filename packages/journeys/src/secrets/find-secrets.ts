import type { Program } from "../program/program.ts";
import type { Expression, Template, ValueNode } from "../expressions/ast.ts";
import { keyOf, namedValuesOf } from "./named-values.ts";
import type { NamedValue, NamedValues, Place } from "./named-values.ts";
import { secretNodesOf, secretValuesOf } from "./secret-places.ts";
import type { Reason } from "./secret-places.ts";

/** A part of a value that is a secret; an empty pointer means the whole value. */
export interface SecretPart {
  pointer: readonly string[];
  reason: Reason;
}

/** Which values of a program are secrets, known before it runs. */
export interface ProgramSecrets {
  values: NamedValues;
  partsOf: (value: NamedValue) => readonly SecretPart[];
  /** All values that are secrets, with their parts. */
  all: () => Iterable<[NamedValue, readonly SecretPart[]]>;
  /** Texts of the document itself that are sent as secrets. */
  literals: readonly { value: unknown; reason: Reason }[];
}

/** A workflow that calls itself may lead deeper and deeper into a value: beyond this depth, the whole value is a secret. */
const POINTER_DEPTH_MAX = 20;
const PARTS_MAX = 100;

/**
 * Follows the data of a program backwards from where secrets are sent, so the output for a login's token is a secret before the
 * login has run. Data passes through outputs of steps and workflows, inputs of sub-workflows, variables and templates.
 */
export function findSecrets(program: Program): ProgramSecrets {
  const values = namedValuesOf(program);
  const found = new Map<string, { value: NamedValue; parts: SecretPart[] }>();
  const literals: { value: unknown; reason: Reason }[] = [];
  const open: { value: NamedValue; part: SecretPart }[] = [];

  const addValue = (value: NamedValue, wanted: SecretPart): void => {
    const key = keyOf(value);
    let known = found.get(key);
    if (known === undefined) found.set(key, (known = { value, parts: [] }));
    const isTooMuch = wanted.pointer.length > POINTER_DEPTH_MAX || known.parts.length >= PARTS_MAX;
    const part = isTooMuch ? { ...wanted, pointer: [] } : wanted;
    if (known.parts.some((other) => covers(other, part))) return;
    known.parts = [...known.parts.filter((other) => !covers(part, other)), part];
    open.push({ value, part });
  };
  const addNode = (node: ValueNode, place: Place, part: SecretPart): void => {
    for (const leaf of leavesOf(node, part.pointer)) {
      if ("literal" in leaf) literals.push({ value: leaf.literal, reason: part.reason });
      else {
        const resolved = values.resolve(leaf.expression, place);
        if (resolved === undefined) continue;
        addValue(resolved.value, { ...part, pointer: [...resolved.pointer, ...leaf.pointer] });
      }
    }
  };

  for (const [key, workflow] of Object.entries(program.workflows)) {
    for (const { value, reason } of secretValuesOf(program, key)) addValue(value, { pointer: [], reason });
    for (const step of workflow.steps) {
      const operation =
        step.target.kind === "operation" ? program.operations[step.target.operation] : undefined;
      for (const { node, reason } of secretNodesOf(step, operation)) {
        addNode(node, { workflow: key, step }, { pointer: [], reason });
      }
    }
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { node, place } of values.definitionsOf(next.value)) addNode(node, place, next.part);
  }
  return {
    values,
    partsOf: (value) => found.get(keyOf(value))?.parts ?? [],
    all: () => [...found.values()].map(({ value, parts }): [NamedValue, SecretPart[]] => [value, parts]),
    literals,
  };
}

/** Whether one part makes the other redundant. A guess by name is the weakest reason. */
function covers(one: SecretPart, other: SecretPart): boolean {
  if (one.reason === "named" && other.reason !== "named") return false;
  return isPrefix(one.pointer, other.pointer);
}

export function isPrefix(one: readonly string[], other: readonly string[]): boolean {
  return one.length <= other.length && one.every((token, index) => token === other[index]);
}

type Leaf = { expression: Expression; pointer: readonly string[] } | { literal: unknown };

/** The parts that the value of a node at a pointer is made of. */
function leavesOf(node: ValueNode, pointer: readonly string[]): Leaf[] {
  if ("const" in node) return [{ literal: node.const }];
  if ("expr" in node) return inExpression(node.expr, pointer);
  if ("template" in node) return inTemplate(node.template);
  if ("json" in node) return inTemplate(node.json);
  // A selector's part is known only after it has run, so all of the value may be the secret.
  if ("selector" in node) return inExpression(node.selector.context, []);
  const [first, ...rest] = pointer;
  if ("array" in node) {
    const item = first === undefined ? undefined : node.array[Number(first)];
    return item === undefined ? node.array.flatMap((other) => leavesOf(other, [])) : leavesOf(item, rest);
  }
  const member = first === undefined || !Object.hasOwn(node.object, first) ? undefined : node.object[first];
  return member === undefined
    ? Object.values(node.object).flatMap((other) => leavesOf(other, []))
    : leavesOf(member, rest);
}

function inTemplate(template: Template): Leaf[] {
  return template.flatMap((part): Leaf[] => (typeof part === "string" ? [] : inExpression(part, [])));
}

/** The values that a function takes are secrets if its result is sent as one. The literals among them are names and signs. */
function inExpression(expression: Expression, pointer: readonly string[]): Leaf[] {
  if (expression.kind !== "call") return [{ expression, pointer }];
  return expression.args.flatMap((argument): Leaf[] =>
    "literal" in argument ? [] : inExpression(argument, []),
  );
}
