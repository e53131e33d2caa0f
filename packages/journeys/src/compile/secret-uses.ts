import { resolvePointer } from "@waymark/openapi/pointer.ts";
import { isObject } from "@waymark/openapi/json.ts";
import { keywordOf, propertiesOf, schemasOf } from "../document/input-schema.ts";
import type { Expression } from "../expressions/ast.ts";
import { declarationOf } from "../expressions/functions/declarations.ts";
import type { FunctionName } from "../expressions/functions/declarations.ts";
import { walkExpressions } from "../program/walk.ts";
import { holds } from "../secrets/secret-reads.ts";
import type { ReadsSecret } from "../secrets/secret-reads.ts";
import type { ProgramBody, ProgramStep, ProgramWorkflow } from "../program/program.ts";
import type { Path } from "./unit.ts";

/** A use of a secret that would tell its characters, and where it is written. */
export interface SecretUse {
  path: Path;
  code:
    | "function-on-secret"
    | "selector-on-secret"
    | "secret-in-host"
    | "secret-in-replacement"
    | "secret-input-schema";
  message: string;
}

type IsSecret = (expression: Expression) => boolean;

/** Returns the uses of a step. `places` are its parts and where they are written. */
export function usesInStep(
  step: ProgramStep,
  places: readonly (readonly [Path, Path])[],
  isSecret: IsSecret,
): SecretUse[] {
  return places.flatMap(([inStep, path]): SecretUse[] => {
    const [part] = inStep;
    if (part === undefined) {
      const { target } = step;
      if (target.kind === "external" && hostHolds(target.url, isSecret))
        return [{ path, code: "secret-in-host", message: HOST }];
      return [
        ...functionUses(target, path, isSecret),
        ...usesInOutputs(step.outputs, [...path, "outputs"], isSecret),
      ];
    }
    const node: unknown = resolvePointer(step, inStep.map(String));
    const found: SecretUse[] = [
      ...(selects(node, isSecret) ? [{ path, code: "selector-on-secret", message: SELECTOR } as const] : []),
      ...(part === "outputs" ? [] : functionUses(node, path, isSecret)),
    ];
    if (part !== "body" || step.body === undefined) return found;
    return [...found, ...usesInReplacements(step.body, path, isSecret)];
  });
}

/** Returns the uses of a step's or a workflow's outputs. */
export function usesInOutputs(
  outputs: Readonly<Record<string, unknown>>,
  path: Path,
  isSecret: IsSecret,
): SecretUse[] {
  return Object.entries(outputs).flatMap(([name, node]): SecretUse[] => [
    ...(selects(node, isSecret)
      ? [{ path: [...path, name], code: "selector-on-secret", message: SELECTOR } as const]
      : []),
    ...functionUses(node, [...path, name], isSecret),
  ]);
}

/** The functions in a node that tell a part of a secret. */
function functionUses(node: unknown, path: Path, isSecret: IsSecret): SecretUse[] {
  const names = new Set<FunctionName>();
  walkExpressions(node, (expression) => {
    if (expression.kind !== "call" || !declarationOf(expression.name).looksInto) return;
    if (holds(expression.args, isSecret)) names.add(expression.name);
  });
  return [...names].map((name) => ({
    path,
    code: "function-on-secret",
    message: `$fn.${name} would tell a part of a secret. Send the secret, or what $fn.hmac or another function that hides it makes of it.`,
  }));
}

const SELECTOR =
  "A selector looks into a secret, so what it selects would show the secret piece by piece. Use the whole value, alone or within a text, or store each part as a secret of its own.";
const HOST =
  "A host is looked up and logged by others, so it can't contain a secret. Write the host in the document or the environment, and send the secret in a header, the query or the body.";
const TARGET =
  "Whether a place exists would tell of the secret in it. Name the place without the secret, and put the secret into the value.";
const PAYLOAD =
  "A query looks into a payload that contains a secret. Select the place by a JSON pointer, or write the expression into the payload itself.";

/** Whether a node has a Selector Object that reads a secret in its context or its text. */
function selects(node: unknown, isSecret: IsSecret): boolean {
  if (Array.isArray(node)) return node.some((item) => selects(item, isSecret));
  if (!isObject(node) || "const" in node) return false;
  if (isObject(node["selector"]) && "context" in node["selector"]) return holds(node["selector"], isSecret);
  return Object.values(node).some((item) => selects(item, isSecret));
}

/** Whether the scheme, user, host or port of an address may contain a secret. A path begins behind the first slash of a text. */
function hostHolds(url: readonly (string | Expression)[], isSecret: IsSecret): boolean {
  let before = "";
  for (const part of url) {
    if (typeof part === "string") before += part;
    else {
      if (/[/?#]/.test(before.replace(/^[^/?#]*:\/\//, ""))) return false;
      if (holds(part, isSecret)) return true;
      // It may be the whole base of the address.
      before += "x";
    }
  }
  return false;
}

function usesInReplacements(
  { payload, replacements }: ProgramBody,
  path: Path,
  isSecret: IsSecret,
): SecretUse[] {
  let isSecretPayload = payload !== undefined && holds(payload, isSecret);
  const uses: SecretUse[] = [];
  for (const [index, { target, type, value }] of replacements.entries()) {
    const at = [...path, "replacements", index];
    const isQuery = type.type !== "jsonpointer";
    if (holds(target, isSecret)) uses.push({ path: at, code: "secret-in-replacement", message: TARGET });
    else if (isQuery && isSecretPayload)
      uses.push({ path: at, code: "secret-in-replacement", message: PAYLOAD });
    isSecretPayload ||= holds(value, isSecret);
  }
  return uses;
}

/** Keywords whose outcome tells of a value, and the greatest or least that is true of every secret. */
const TELLING: Record<string, (value: unknown) => boolean> = {
  pattern: () => true,
  enum: () => true,
  const: () => true,
  not: () => true,
  format: (value) => value !== "password",
  // An environment's secret has 8 characters at least, and the text in its place has 10.
  minLength: (value) => typeof value !== "number" || value > 8,
  maxLength: (value) => typeof value !== "number" || value < 10,
};

/** Returns the secret inputs whose schema says more of a value than its type. */
export function usesInInputs(
  { inputs, secrets }: ProgramWorkflow,
  { key, path, reads }: { key: string; path: Path; reads: ReadsSecret },
): SecretUse[] {
  const uses: SecretUse[] = [];
  for (const [name, property] of Object.entries(propertiesOf(inputs) ?? {})) {
    if (!reads({ kind: "inputs", name }, { workflow: key })) continue;
    // The rule about literal secrets reports the values of a declared secret.
    const isDeclared =
      secrets.some(({ input }) => input === name) || keywordOf(inputs, property, "format") === "password";
    const keyword = schemasOf(inputs, property)
      .flatMap((schema) => Object.entries(schema))
      .filter(([one]) => !isDeclared || (one !== "enum" && one !== "const"))
      .find(([one, value]) => Object.hasOwn(TELLING, one) && TELLING[one]?.(value) === true)?.[0];
    if (keyword === undefined) continue;
    const message = `"${keyword}" would tell of the secret in the input "${name}". Remove it: a schema sees [redacted] in place of a secret, so only "type", "title" and "description" make sense.`;
    uses.push({ path: [...path, "inputs"], code: "secret-input-schema", message });
  }
  return uses;
}
