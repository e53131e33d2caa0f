import { walkExpressions } from "../compile/walk.ts";
import type { Expression, ValueNode } from "../expressions/ast.ts";
import { isPrefix } from "./find-secrets.ts";
import type { ProgramSecrets } from "./find-secrets.ts";
import { keyOf } from "./named-values.ts";
import type { NamedValue, Place } from "./named-values.ts";
import { isCredentialHeader, tellsSecret } from "./secret-names.ts";

/** Whether an expression at a position reads a secret. */
export type ReadsSecret = (expression: Expression, place: Place) => boolean;

/**
 * Follows secrets forwards, into every value that contains one. Secrets are what the journey is given, what it sends as a
 * credential, and what the document declares. A name is only a guess, and doesn't count here. Responses don't count either,
 * because journeys test them.
 */
export function secretReads(secrets: ProgramSecrets): ReadsSecret {
  const reached = new Map<string, readonly (readonly string[])[]>();
  const open: NamedValue[] = [];
  for (const [value, parts] of secrets.all()) {
    const pointers = parts.filter(({ reason }) => reason !== "named").map(({ pointer }) => pointer);
    if (pointers.length === 0) continue;
    reached.set(keyOf(value), pointers);
    open.push(value);
  }
  const reads: ReadsSecret = (expression, place) => {
    if ("of" in expression) return expression.of === "request" && readsRequest(expression, place);
    const resolved = secrets.values.resolve(expression, place);
    if (resolved === undefined) return false;
    const pointers = reached.get(keyOf(resolved.value)) ?? [];
    return pointers.some((one) => isPrefix(one, resolved.pointer) || isPrefix(resolved.pointer, one));
  };
  const readsRequest = (expression: Extract<Expression, { of: string }>, place: Place): boolean => {
    const sent = sentBy(expression, place);
    return sent === true || sent.some((node) => holds(node, (inner) => reads(inner, place)));
  };

  const users = usersOf(secrets);
  const add = (value: NamedValue): void => {
    const key = keyOf(value);
    if (reached.has(key)) return;
    reached.set(key, [[]]);
    open.push(value);
  };
  for (const { value, definition } of secrets.values.all()) {
    if (holds(definition.node, (inner) => "of" in inner && reads(inner, definition.place))) add(value);
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { value, node, place } of users.get(keyOf(next)) ?? []) {
      if (holds(node, (inner) => reads(inner, place))) add(value);
    }
  }
  return reads;
}

/** The values that are made of each value. */
function usersOf({
  values,
}: ProgramSecrets): Map<string, { value: NamedValue; node: ValueNode; place: Place }[]> {
  const users = new Map<string, { value: NamedValue; node: ValueNode; place: Place }[]>();
  for (const { value, definition } of values.all()) {
    const { node, place } = definition;
    walkExpressions(node, (expression) => {
      const used = values.resolve(expression, place);
      if (used === undefined) return;
      const key = keyOf(used.value);
      users.set(key, [...(users.get(key) ?? []), { value, node, place }]);
    });
  }
  return users;
}

function holds(node: ValueNode, test: (expression: Expression) => boolean): boolean {
  let found = false;
  walkExpressions(node, (expression) => (found ||= test(expression)));
  return found;
}

/** The nodes that a part of the request is made of; true if it is a credential in any case. */
function sentBy(expression: Extract<Expression, { of: string }>, { step }: Place): ValueNode[] | true {
  if (step === undefined) return [];
  if (expression.kind === "body") {
    const last = expression.pointer?.at(-1);
    if (last !== undefined && tellsSecret(last)) return true;
    return step.body?.payload === undefined ? [] : [step.body.payload];
  }
  const { kind, name } = expression;
  if (kind === "header" && isCredentialHeader(name)) return true;
  return step.parameters
    .filter((parameter) => parameter.in === kind && parameter.name.toLowerCase() === name.toLowerCase())
    .map(({ value }) => value);
}
