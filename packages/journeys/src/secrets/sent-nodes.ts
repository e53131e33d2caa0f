import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { Credential, Program, ProgramBody, ProgramParameter, ProgramStep } from "../program/program.ts";
import type { Expression, ValueNode } from "../expressions/ast.ts";
import { isPrefix } from "./find-secrets.ts";
import type { Place } from "./named-values.ts";

/** The steps whose request `$request` and `$url` may be of, at a place. */
export function requestsAt(
  program: Program,
  { workflow, step }: Place,
): { workflow: string; step: ProgramStep }[] {
  // After a call, they are of the last request of the called workflow.
  const called = step?.target.kind === "workflow" ? step.target.workflow : undefined;
  if (step !== undefined && called === undefined) return [{ workflow, step }];
  const of = called ?? workflow;
  return (program.workflows[of]?.steps ?? [])
    .filter(({ target }) => target.kind !== "workflow")
    .map((other) => ({ workflow: of, step: other }));
}

/** The nodes that a part of a step's request is made of. */
export function sentNodes(expression: Expression, step: ProgramStep): ValueNode[] {
  if (expression.kind === "url") {
    const { target } = step;
    return [
      ...(target.kind === "external" ? [{ template: target.url }] : []),
      ...valuesOf(step, ({ in: place }) => place === "path" || isQuery(place)),
      ...credentialsOf(step, ({ kind }) => kind === "query"),
    ];
  }
  if (expression.kind === "body") return bodyNodes(step.body, expression.pointer ?? []);
  if (expression.kind === "header") {
    const name = expression.name.toLowerCase();
    const isCookie = name === "cookie";
    return [
      ...valuesOf(step, (one) =>
        one.in === "cookie" ? isCookie : one.in === "header" && one.name.toLowerCase() === name,
      ),
      ...credentialsOf(step, ({ kind, parameter = "authorization" }) =>
        kind === "cookie" ? isCookie : kind !== "query" && parameter.toLowerCase() === name,
      ),
    ];
  }
  if (expression.kind !== "query" && expression.kind !== "path") return [];
  const { kind, name } = expression;
  return [
    ...valuesOf(step, (one) => one.in === kind && one.name === name),
    ...credentialsOf(step, (one) => one.kind === kind && one.parameter === name),
  ];
}

function isQuery(place: ProgramParameter["in"]): boolean {
  return place === "query" || place === "querystring";
}

function valuesOf(step: ProgramStep, isMeant: (parameter: ProgramParameter) => boolean): ValueNode[] {
  return step.parameters.filter(isMeant).map(({ value }) => value);
}

function credentialsOf(step: ProgramStep, isMeant: (credential: Credential) => boolean): ValueNode[] {
  return step.credentials.filter(isMeant).map(({ input: name }) => ({ expr: { kind: "inputs", name } }));
}

/** The part of the payload at a pointer, and the replacements that may change it. */
function bodyNodes(body: ProgramBody | undefined, pointer: readonly string[]): ValueNode[] {
  if (body === undefined) return [];
  const replaced = body.replacements
    .filter(({ target, type }) => {
      const text = target.length === 1 && typeof target[0] === "string" ? target[0] : undefined;
      const at = type.type === "jsonpointer" && text !== undefined ? decodePointer(text) : undefined;
      return at === undefined || isPrefix(at, pointer) || isPrefix(pointer, at);
    })
    .map(({ value }) => value);
  return body.payload === undefined ? replaced : [nodeAt(body.payload, pointer), ...replaced];
}

/** The member of a payload at a pointer, or the node that it is a part of. */
function nodeAt(node: ValueNode, [first, ...rest]: readonly string[]): ValueNode {
  if (first === undefined) return node;
  if ("array" in node) {
    const item = /^\d+$/.test(first) ? node.array[Number(first)] : undefined;
    return item === undefined ? node : nodeAt(item, rest);
  }
  if (!("object" in node) || !Object.hasOwn(node.object, first)) return node;
  const member = node.object[first];
  return member === undefined ? node : nodeAt(member, rest);
}
