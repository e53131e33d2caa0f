import { ownValue } from "@waymark/openapi/json.ts";
import { encodeUnreserved } from "@waymark/openapi/percent-encoding.ts";
import type { Credential, ProgramParameter, ProgramStep } from "../program/program.ts";
import { findBytes } from "../expressions/bytes.ts";
import { embeddedText } from "../expressions/embedded-text.ts";
import { randomUuid } from "../expressions/functions/random-values.ts";
import type { ValueNode } from "../expressions/ast.ts";
import { evaluateValue } from "../expressions/evaluate.ts";
import type { SelectorResults } from "../expressions/evaluate.ts";
import { parseJson } from "../expressions/exact-json.ts";
import { valueSize } from "../expressions/value-size.ts";
import { brief } from "../criteria/evaluate-condition.ts";
import type { MessageView, Scope } from "../expressions/scope.ts";
import { BodyError, encodeBody, isJson } from "../openapi/body.ts";
import type { Operation, ParameterRule } from "../openapi/operation.ts";
import { serializeCookie, serializeHeader, serializePath, serializeQuery } from "../openapi/serialize.ts";
import { applyReplacements } from "./replacements.ts";
import { RequestError } from "./request-error.ts";
import { requestUrl } from "./request-url.ts";
import type { UrlParts } from "./request-url.ts";
import { holds } from "../secrets/secret-reads.ts";
import { credentialPlaces } from "../secrets/secret-places.ts";
import { toBase64 } from "../expressions/to-base64.ts";
import { seededRandom } from "./random.ts";
import { applySelectors } from "./selectors.ts";
import type { Run } from "./state.ts";

/** A request that is ready to send, and its form for expressions. */
export interface BuiltRequest {
  method: string;
  url: URL;
  headers: [string, string][];
  body?: string | Uint8Array;
  view: MessageView;
  /** Names, in lower case, of headers that hold credentials because the operation's description says so. */
  credentialHeaders: ReadonlySet<string>;
}

interface Parts extends UrlParts {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: [string, string][];
  cookies: string[];
}

/** Builds the request of a step from the values that are known by now. @throws RequestError, EvaluationLimit */
export async function buildRequest(
  run: Run,
  step: ProgramStep,
  scope: Scope,
  operation: Operation | undefined,
): Promise<BuiltRequest> {
  const parts: Parts = {
    path: {},
    pathText: new Map(),
    query: {},
    pairs: [],
    querystring: undefined,
    headers: [],
    cookies: [],
  };
  const selected = await applySelectors(valuesOf(step), scope, run.evaluator);
  const early = readsBody(step) ? await buildBody(run, step, scope, selected) : undefined;
  const ofParameters = withRequestBody(scope, early?.body);
  for (const parameter of step.parameters) addParameter(parts, parameter, ofParameters, selected);
  for (const credential of step.credentials) addCredential(parts, credential, scope);
  const body = early ?? (await buildBody(run, step, scope, selected));
  if (body !== undefined && !hasHeader(parts.headers, "content-type")) {
    parts.headers.push(["content-type", body.contentType]);
  }
  if (parts.cookies.length > 0) parts.headers.push(["cookie", parts.cookies.join("; ")]);
  if (!hasHeader(parts.headers, "accept")) parts.headers.push(["accept", acceptOf(operation)]);
  const headers: Record<string, string> = {};
  for (const [name, value] of parts.headers) {
    if (/[\r\n\0]/.test(value)) throw new RequestError(`The header ${name} would hold a line break.`);
    headers[name.toLowerCase()] = value;
  }
  return {
    method: methodOf(step, operation),
    url: requestUrl(run, step, { operation, scope, parts }),
    headers: parts.headers,
    ...(body === undefined ? {} : { body: body.body }),
    view: { headers, path: parts.path, query: parts.query, body: body?.seen },
    credentialHeaders: credentialHeadersOf(operation),
  };
}

const NO_HEADERS: ReadonlySet<string> = new Set();

function credentialHeadersOf(operation: Operation | undefined): ReadonlySet<string> {
  const places = credentialPlaces(operation);
  if (places.size === 0) return NO_HEADERS;
  return new Set(
    [...places].flatMap((place) => (place.startsWith("header:") ? [place.slice("header:".length)] : [])),
  );
}

function methodOf(step: ProgramStep, operation: Operation | undefined): string {
  return step.target.kind === "external" ? step.target.method : (operation?.method ?? "GET");
}

const readers = new WeakMap<ProgramStep, boolean>();

/** Whether a parameter is made of the body as it is sent. */
function readsBody(step: ProgramStep): boolean {
  let reads = readers.get(step);
  if (reads === undefined) {
    reads = holds(step.parameters, (one) => one.kind === "call" && one.name === "requestBody");
    readers.set(step, reads);
  }
  return reads;
}

/** Adds the body that functions get which are arguments of a request's parameters. */
function withRequestBody(scope: Scope, requestBody: string | Uint8Array | undefined): Scope {
  const { functions } = scope;
  return functions === undefined || requestBody === undefined
    ? scope
    : { ...scope, functions: { ...functions, requestBody } };
}

function valuesOf({ parameters, body }: ProgramStep): ValueNode[] {
  const values = parameters.map(({ value }) => value);
  if (body?.payload !== undefined) values.push(body.payload);
  for (const { value } of body?.replacements ?? []) values.push(value);
  return values;
}

function addParameter(
  parts: Parts,
  parameter: ProgramParameter,
  scope: Scope,
  selected: SelectorResults,
): void {
  const { in: place, name, rule } = parameter;
  const value = evaluateValue(parameter.value, scope, selected);
  if (value === undefined || value === null || (place === "path" && isEmptySegment(value, rule))) {
    if (place === "path") throw new RequestError(`The path parameter "${name}" has no value.`);
    return;
  }
  if (findBytes(value) !== undefined) throw new RequestError(`The parameter "${name}" can't contain bytes.`);
  switch (place) {
    case "path":
      parts.path[name] = value;
      parts.pathText.set(name, serializePath(name, value, rule));
      return;
    case "query":
      parts.query[name] = value;
      parts.pairs.push(...serializeQuery(name, value, rule));
      return;
    case "querystring":
      if (typeof value !== "string")
        throw new RequestError(`The query string "${name}" is ${brief(value, scope)}, not text.`);
      parts.querystring = wholeQuery(value.replace(/^\?/, ""), rule);
      return;
    case "header":
      // It concerns only this client and its proxy, so a document can't set it.
      if (name.toLowerCase() === "proxy-authorization") return;
      // OpenAPI leaves these to the body and to security; a parameter is how a journey says them.
      parts.headers.push([name, serializeHeader(value, rule)]);
      return;
    case "cookie":
      parts.cookies.push(...serializeCookie(name, value, rule));
      return;
    default:
  }
}

/** An empty value has no text in a path, unless its style gives it a prefix. */
function isEmptySegment(value: unknown, { style, contentType }: ParameterRule): boolean {
  return value === "" && (contentType !== undefined || (style !== "label" && style !== "matrix"));
}

/** A form is written as a query is; any other media type, such as JSON, is encoded as a whole (OpenAPI 3.2). */
function wholeQuery(text: string, { contentType = FORM }: ParameterRule): string {
  return contentType === FORM ? text.replaceAll(NOT_IN_QUERY, encodeURIComponent) : encodeURIComponent(text);
}

const FORM = "application/x-www-form-urlencoded";
/** RFC 3986, 3.4. An escape is left as it is. */
const NOT_IN_QUERY = /[^\w\-.~!$&'()*+,;=:@/?%]+/gu;

function addCredential(parts: Parts, credential: Credential, scope: Scope): void {
  const value = ownValue(scope.inputs, credential.input);
  if (value === undefined || value === null) return;
  const text = embeddedText(value);
  switch (credential.kind) {
    case "bearer":
      parts.headers.push(["authorization", `Bearer ${text}`]);
      return;
    case "basic":
      parts.headers.push([
        "authorization",
        `Basic ${toBase64(new TextEncoder().encode(basicText(value, text)))}`,
      ]);
      return;
    case "header":
      parts.headers.push([credential.parameter ?? credential.input, text]);
      return;
    case "query":
      parts.pairs.push([encodeUnreserved(credential.parameter ?? credential.input), encodeUnreserved(text)]);
      return;
    case "cookie":
      parts.cookies.push(`${credential.parameter ?? credential.input}=${encodeUnreserved(text)}`);
      return;
    default:
  }
}

/** `user:password`, or an object with both. */
function basicText(value: unknown, text: string): string {
  const user = ownValue(value, "username");
  const password = ownValue(value, "password");
  return typeof user === "string" && typeof password === "string" ? `${user}:${password}` : text;
}

async function buildBody(
  run: Pick<Run, "budget" | "evaluator" | "known" | "seed">,
  step: ProgramStep,
  scope: Scope,
  selected: SelectorResults,
): Promise<{ body: string | Uint8Array; contentType: string; seen: unknown } | undefined> {
  const { body } = step;
  if (body === undefined) return undefined;
  const given = body.payload === undefined ? undefined : evaluateValue(body.payload, scope, selected);
  const { evaluator, budget } = run;
  const { shield } = run.known;
  const replaced = await applyReplacements(given, body, { scope, selected, evaluator, shield });
  if (replaced === undefined) return undefined;
  // Before it is written: what stands in a payload a thousand times takes that much memory only then.
  const { requestBytes } = budget.limits;
  if (valueSize(replaced, requestBytes) > requestBytes) throw tooLarge(requestBytes);
  const boundary = () =>
    `waymark-${randomUuid(seededRandom(`${run.seed}:boundary:${budget.counters.requests}`))}`;
  try {
    const encoded = encodeBody(replaced, {
      mediaType: body.mediaType,
      rule: body.rule,
      boundary,
      isText: body.payload !== undefined && "json" in body.payload,
    });
    if (encoded.body.length > requestBytes) throw tooLarge(requestBytes);
    return { ...encoded, seen: isJson(body.mediaType) ? shield.whole(parsed(replaced)) : replaced };
  } catch (error) {
    if (error instanceof BodyError) throw new RequestError(`The body can't be written: ${error.message}.`);
    throw error;
  }
}

function tooLarge(requestBytes: number): RequestError {
  return new RequestError(`The request body is larger than ${requestBytes} bytes.`);
}

function parsed(payload: unknown): unknown {
  if (typeof payload !== "string") return payload;
  try {
    return parseJson(payload);
  } catch {
    return payload;
  }
}

const accepted = new WeakMap<Operation, string>();

function acceptOf(operation: Operation | undefined): string {
  if (operation === undefined) return "*/*";
  let text = accepted.get(operation);
  if (text === undefined) {
    const types = new Set(Object.values(operation.responses).flatMap(({ content }) => Object.keys(content)));
    text = types.size === 0 ? "*/*" : [...types].join(", ");
    accepted.set(operation, text);
  }
  return text;
}

function hasHeader(headers: [string, string][], name: string): boolean {
  return headers.some(([given]) => given.toLowerCase() === name);
}
