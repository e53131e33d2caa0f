import { walkExpressions } from "../program/walk.ts";
import type { Program } from "../program/program.ts";
import { keywordOf, propertiesOf } from "../document/input-schema.ts";
import type { Expression, ValueNode } from "../expressions/ast.ts";
import { isPrefix } from "./find-secrets.ts";
import type { ProgramSecrets } from "./find-secrets.ts";
import { keyOf } from "./named-values.ts";
import type { NamedValue, Place } from "./named-values.ts";
import { isCredentialHeader, tellsSecret } from "./secret-names.ts";
import { requestsAt, sentNodes } from "./sent-nodes.ts";

/** Whether an expression at a position reads a secret. */
export type ReadsSecret = (expression: Expression, place: Place) => boolean;

/** The values that a search starts from, with the pointers to their secret parts. */
type Sources = Map<string, { value: NamedValue; pointers: readonly (readonly string[])[] }>;

/**
 * Follows secrets forwards, into every value that contains one. Secrets are what the journey is given, what it sends as a
 * credential, and what the document declares. A name is only a guess, and doesn't count here. Responses don't count either,
 * because journeys test them.
 */
export function secretReads(program: Program, secrets: ProgramSecrets): ReadsSecret {
  const sources: Sources = new Map();
  for (const [value, parts] of secrets.all()) {
    const pointers = parts.filter(({ reason }) => reason !== "named").map(({ pointer }) => pointer);
    if (pointers.length > 0) sources.set(keyOf(value), { value, pointers });
  }
  return readsFrom(program, secrets, { sources, isSecretPlace });
}

/**
 * Follows forwards only what the run is given: the secrets that the document refers to, and passwords that no other workflow
 * passes. Whoever writes the journey need not know them.
 */
export function givenReads(program: Program, secrets: ProgramSecrets): ReadsSecret {
  const sources: Sources = new Map();
  for (const [workflow, { inputs, secrets: referred }] of Object.entries(program.workflows)) {
    const add = (name: string) => {
      const value: NamedValue = { kind: "input", workflow, name };
      sources.set(keyOf(value), { value, pointers: [[]] });
    };
    for (const { input } of referred) add(input);
    for (const [name, property] of Object.entries(propertiesOf(inputs) ?? {})) {
      const isPassword = keywordOf(inputs, property, "format") === "password";
      if (isPassword && secrets.values.definitionsOf({ kind: "input", workflow, name }).length === 0)
        add(name);
    }
  }
  return readsFrom(program, secrets, { sources, isSecretPlace: () => false });
}

function readsFrom(
  program: Program,
  secrets: ProgramSecrets,
  from: { sources: Sources; isSecretPlace: (expression: Expression) => boolean },
): ReadsSecret {
  const { sources } = from;
  const reached = new Map([...sources].map(([key, { pointers }]) => [key, pointers]));
  const open = [...sources.values()].map(({ value }) => value);
  const reads: ReadsSecret = (expression, place) => {
    if (isOfRequest(expression)) return readsRequest(expression, place);
    const resolved = secrets.values.resolve(expression, place);
    if (resolved === undefined) return false;
    const pointers = reached.get(keyOf(resolved.value)) ?? [];
    return pointers.some((one) => isPrefix(one, resolved.pointer) || isPrefix(resolved.pointer, one));
  };
  const readsRequest = (expression: Expression, place: Place): boolean =>
    from.isSecretPlace(expression) ||
    requestsAt(program, place).some((at) =>
      sentNodes(expression, at.step).some((node) => holds(node, (inner) => reads(inner, at))),
    );

  const users = usersOf(secrets);
  const add = (value: NamedValue): void => {
    const key = keyOf(value);
    if (reached.has(key)) return;
    reached.set(key, [[]]);
    open.push(value);
  };
  const follow = (): void => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const { value, node, place } of users.get(keyOf(next)) ?? []) {
        if (holds(node, (inner) => reads(inner, place))) add(value);
      }
    }
  };
  follow();
  // A request may contain what was reached only now, and an output may be made of the request.
  const ofRequests = [...secrets.values.all()].filter(({ definition }) =>
    holds(definition.node, isOfRequest),
  );
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const { value, definition } of ofRequests) {
      if (!reached.has(keyOf(value)) && holds(definition.node, (inner) => reads(inner, definition.place)))
        add(value);
    }
    follow();
  }
  return reads;
}

function isOfRequest(expression: Expression): boolean {
  return expression.kind === "url" || ("of" in expression && expression.of === "request");
}

/** Whether a part of a request is a credential, whatever it is made of. */
function isSecretPlace(expression: Expression): boolean {
  if (expression.kind === "header") return isCredentialHeader(expression.name);
  const last = expression.kind === "body" ? expression.pointer?.at(-1) : undefined;
  return last !== undefined && tellsSecret(last);
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

/** Whether one of the expressions in a node meets a test. */
export function holds(node: unknown, test: (expression: Expression) => boolean): boolean {
  let found = false;
  walkExpressions(node, (expression) => (found ||= test(expression)));
  return found;
}
