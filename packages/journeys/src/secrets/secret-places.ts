import { keywordOf, propertiesOf } from "../document/input-schema.ts";
import type {
  Program,
  ProgramBody,
  ProgramParameter,
  ProgramStep,
  ProgramWorkflow,
} from "../program/program.ts";
import type { Expression, Template, ValueNode } from "../expressions/ast.ts";
import type { Operation } from "../openapi/operation.ts";
import type { NamedValue } from "./named-values.ts";
import { isCredentialHeader, tellsSecret } from "./secret-names.ts";

/**
 * Why a value is a secret: the journey is given it, it is sent as a credential, the document declares it, or its name tells. A
 * name is a guess, so it makes secrets of texts only, and only of long ones.
 */
export type Reason = "given" | "sent" | "declared" | "named";

/** A node whose value is sent as a secret. */
export interface SecretNode {
  node: ValueNode;
  reason: Reason;
}

/** Where a step sends secrets: credentials, and values with names of secrets. */
export function secretNodesOf(step: ProgramStep, operation: Operation | undefined): SecretNode[] {
  const nodes: SecretNode[] = step.credentials.map(({ input: name }) => ({
    node: { expr: { kind: "inputs", name } },
    reason: "given",
  }));
  const places = credentialPlaces(operation);
  for (const parameter of step.parameters) {
    if (isCredential(parameter, places)) nodes.push({ node: parameter.value, reason: "sent" });
    // The position doesn't make the value a credential, so this is a guess.
    else if (parameter.in === "cookie") nodes.push(...withoutConstants(parameter.value));
    else if (tellsSecret(parameter.name)) nodes.push({ node: parameter.value, reason: "named" });
  }
  if (step.target.kind === "external") nodes.push(...namedInTemplate(step.target.url));
  if (step.body !== undefined) nodes.push(...namedInBody(step.body));
  return nodes;
}

/** Where the security schemes of an operation stand in a request, as `in:name`. */
export function credentialPlaces(operation: Operation | undefined): ReadonlySet<string> {
  if (operation === undefined) return NO_PLACES;
  const known = placesOf.get(operation);
  if (known !== undefined) return known;
  const places = new Set<string>();
  for (const { kind, parameter = "" } of operation.security.flat()) {
    if (kind === "header") places.add(`header:${parameter.toLowerCase()}`);
    if (kind === "query" || kind === "cookie") places.add(`${kind}:${parameter}`);
  }
  placesOf.set(operation, places);
  return places;
}

const NO_PLACES: ReadonlySet<string> = new Set();
const placesOf = new WeakMap<Operation, ReadonlySet<string>>();

function isCredential({ in: place, name }: ProgramParameter, places: ReadonlySet<string>): boolean {
  if (place === "header") return isCredentialHeader(name) || places.has(`header:${name.toLowerCase()}`);
  return places.has(`${place}:${name}`);
}

function withoutConstants(node: ValueNode): SecretNode[] {
  return [{ node, reason: "const" in node ? "named" : "sent" }];
}

function namedInBody({ payload, replacements }: ProgramBody): SecretNode[] {
  const nodes = payload === undefined ? [] : namedWithin(payload);
  for (const { target, value } of replacements) {
    const last = target.at(-1);
    const name = typeof last === "string" ? /([\w-]{1,100})['"\])}]*$/.exec(last)?.[1] : undefined;
    if (name !== undefined && tellsSecret(name)) nodes.push({ node: value, reason: "named" });
    else nodes.push(...namedWithin(value));
  }
  return nodes;
}

/** The nodes with names of secrets in a value. */
function namedWithin(node: ValueNode): SecretNode[] {
  if ("const" in node) return constantsWithin(node.const);
  if ("template" in node) return namedInTemplate(node.template);
  if ("json" in node) return namedInTemplate(node.json);
  if ("array" in node) return node.array.flatMap(namedWithin);
  if (!("object" in node)) return [];
  return Object.entries(node.object).flatMap(([name, member]): SecretNode[] =>
    tellsSecret(name) ? [{ node: member, reason: "named" }] : namedWithin(member),
  );
}

function constantsWithin(value: unknown): SecretNode[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): SecretNode[] =>
    tellsSecret(name) ? [{ node: { const: member }, reason: "named" }] : constantsWithin(member),
  );
}

/** A member of JSON, a field of a form or query, an element of XML, or the password of a URL, right before an expression. */
const NAME_BEFORE =
  /(?:"([^"\\]{1,100})"\s*:\s*"?|(?:^|[?&\s])([\w.[\]-]{1,100})=|<(?:[\w-]{1,100}:)?([\w.-]{1,100})[^<>]{0,200}>)$/;
const USER_BEFORE = /:\/\/[^/@\s]{0,200}:$/;

function namedInTemplate(template: Template): SecretNode[] {
  return template.flatMap((part, index): SecretNode[] => {
    const before = template[index - 1];
    if (typeof part === "string" || typeof before !== "string") return [];
    const end = before.slice(-400);
    const names = NAME_BEFORE.exec(end)?.slice(1) ?? [];
    const tells =
      USER_BEFORE.test(end) ||
      names.some((name: string | undefined) => name !== undefined && tellsSecret(name));
    return tells ? [{ node: { expr: part }, reason: "named" }] : [];
  });
}

/** The values of a workflow that are secrets regardless of their use. */
export function secretValuesOf(program: Program, key: string): { value: NamedValue; reason: Reason }[] {
  const workflow = program.workflows[key];
  if (workflow === undefined) return [];
  const values: { value: NamedValue; reason: Reason }[] = [];
  const add = (value: NamedValue, reason: Reason) => values.push({ value, reason });
  const input = (name: string): NamedValue => ({ kind: "input", workflow: key, name });
  for (const { input: name } of workflow.secrets) add(input(name), "given");
  for (const [name, property] of Object.entries(propertiesOf(workflow.inputs) ?? {})) {
    if (keywordOf(workflow.inputs, property, "format") === "password") add(input(name), "given");
    else if (tellsSecret(name)) add(input(name), "named");
  }
  for (const name of Object.keys(workflow.vars)) {
    if (tellsSecret(name)) add({ kind: "variable", workflow: key, name }, "named");
  }
  const outputs = (record: ProgramWorkflow | ProgramStep, value: Omit<NamedValue, "name">) => {
    for (const [name, node] of Object.entries(record.outputs)) {
      if (record.secretOutputs?.includes(name) === true) add({ ...value, name }, "declared");
      else if ("expr" in node && isCredentialPlace(node.expr)) add({ ...value, name }, "sent");
      else if (tellsSecret(name) || ("expr" in node && endsInName(node.expr)))
        add({ ...value, name }, "named");
    }
  };
  outputs(workflow, { kind: "workflowOutput", workflow: key });
  for (const step of workflow.steps) outputs(step, { kind: "stepOutput", workflow: key, step: step.id });
  return values;
}

/** Whether an expression reads a header of credentials. */
export function isCredentialPlace(expression: Expression): boolean {
  return expression.kind === "header" && isCredentialHeader(expression.name);
}

function endsInName(expression: Expression): boolean {
  if (!("pointer" in expression)) return false;
  const last = expression.pointer?.at(-1);
  return last !== undefined && tellsSecret(last);
}
