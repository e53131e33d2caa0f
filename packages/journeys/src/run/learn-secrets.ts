import type { KnownSecrets } from "./known-secrets.ts";
import { resolvePointer } from "@waymark/openapi/pointer.ts";
import type { ProgramStep } from "../program/program.ts";
import { evaluate } from "../expressions/evaluate.ts";
import type { Scope } from "../expressions/scope.ts";
import type { ValueNode } from "../expressions/ast.ts";
import type { Operation } from "../openapi/operation.ts";
import type { BuiltRequest } from "./request.ts";
import type { ResponseView } from "./response.ts";
import type { Run } from "./state.ts";
import type { TransportResponse } from "./transport.ts";
import { cookieTexts, credentialTexts, GUESS_LENGTH_MIN, textsOf } from "../secrets/credential-texts.ts";
import type { SecretPart } from "../secrets/find-secrets.ts";
import type { NamedValue } from "../secrets/named-values.ts";
import { namedSecrets } from "../secrets/named-fields.ts";
import { isCredentialHeader } from "../secrets/secret-names.ts";
import { credentialPlaces } from "../secrets/secret-places.ts";
import type { Reason } from "../secrets/secret-places.ts";

// Learns the values of a run's secrets as soon as they exist, before any output contains them.

/** Learns the secret parts of named values. */
export function learnValues(
  run: Pick<Run, "known" | "prepared">,
  owner: Omit<NamedValue, "name">,
  values: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(values)) {
    const parts = run.prepared.secrets.partsOf({ ...owner, name });
    for (const part of parts) learnPart(run.known, values[name], part);
  }
}

/**
 * Learns the secret parts of a step's outputs. In a template, only the embedded values count, not the text around them.
 */
export function learnOutputs(
  run: Pick<Run, "known" | "prepared">,
  { workflow, step, scope }: { workflow: string; step: ProgramStep; scope: Scope },
  outputs: Readonly<Record<string, unknown>>,
): void {
  for (const [name, node] of Object.entries(step.outputs)) {
    const parts = run.prepared.secrets.partsOf({ kind: "stepOutput", workflow, step: step.id, name });
    for (const part of parts) {
      for (const value of ingredientsOf(node, outputs[name], scope)) learnPart(run.known, value, part);
    }
  }
}

function ingredientsOf(node: ValueNode, value: unknown, scope: Scope): unknown[] {
  const template = "template" in node ? node.template : "json" in node ? node.json : undefined;
  if (template === undefined) return [value];
  // A value that is missing made the whole output null.
  if (value === null) return [];
  return template.flatMap((part) => (typeof part === "string" ? [] : [evaluate(part, scope)]));
}

/** Learns the document's literals that are sent as credentials. */
export function learnLiterals(run: Pick<Run, "known" | "prepared">): void {
  for (const { value, reason } of run.prepared.secrets.literals)
    learnPart(run.known, value, { pointer: [], reason });
}

function learnPart(known: KnownSecrets, value: unknown, { pointer, reason }: SecretPart): void {
  const found = pointer.length === 0 ? value : resolvePointer(value, [...pointer]);
  known.add(textsIn(found, reason).flatMap(credentialTexts));
}

function textsIn(value: unknown, reason: Reason): string[] {
  const texts = textsOf(
    reason === "named" && typeof value !== "object" && typeof value !== "string" ? null : value,
  );
  // A whole object is a secret because a part of it is. Its short texts are ordinary words.
  const isCertain =
    reason === "given" || reason === "declared" || (reason === "sent" && typeof value !== "object");
  return isCertain ? texts : texts.filter((text) => text.length >= GUESS_LENGTH_MIN);
}

/** Learns what a request sends as credentials, whatever it is made of. */
export function learnRequest(
  known: KnownSecrets,
  { headers, view }: BuiltRequest,
  operation: Operation | undefined,
): void {
  const places = credentialPlaces(operation);
  learnHeaders(known, headers, places);
  for (const place of places) {
    const name = place.startsWith("query:") ? place.slice("query:".length) : undefined;
    if (name === undefined || view.query === undefined || !Object.hasOwn(view.query, name)) continue;
    known.add(textsOf(view.query[name]));
  }
}

const NO_PLACES: ReadonlySet<string> = new Set();

/** Learns the secrets of a response: cookies, other credentials, and named fields of its body. */
export function learnResponse(known: KnownSecrets, { headers }: TransportResponse, view: ResponseView): void {
  learnHeaders(known, headers, NO_PLACES);
  known.add(namedSecrets(view));
}

function learnHeaders(
  known: KnownSecrets,
  headers: readonly (readonly [string, string])[],
  places: ReadonlySet<string>,
): void {
  for (const [name, value] of headers) {
    if (!isCredentialHeader(name) && !(places.size > 0 && places.has(`header:${name.toLowerCase()}`)))
      continue;
    const isCookie = /^(?:set-)?cookie2?$/i.test(name);
    known.add(isCookie ? cookieTexts(name, value) : credentialTexts(value));
  }
}
