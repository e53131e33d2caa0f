import { isObject, ownArray, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import { uniqueSlug } from "../template/names.ts";
import { isSensitive } from "./imported.ts";
import type { Importing, RecordedStep } from "./imported.ts";
import { looksSecret } from "./secret-shapes.ts";

interface Found {
  step: JsonObject;
  pointer: string;
  key: string;
}

const VALUES_MAX = 20_000;

/** The secrets of a response. A later request that sends one takes it from there, as the recorded client did. */
export function rememberSecrets(importing: Importing, { step, response }: RecordedStep): void {
  const visit = (value: JsonValue, pointer: string, key: string, depth: number): void => {
    if (importing.given.size >= VALUES_MAX || depth > 12) return;
    if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries<JsonValue>(value))
        visit(member, childPointer(pointer, name), name, depth + 1);
      return;
    }
    if (typeof value !== "string" || value.length < 8 || importing.given.has(value)) return;
    if (isSensitive(key) || looksSecret(value))
      importing.given.set(value, {
        by: importing.at,
        reference: () => secretOutput(importing, step, { pointer, key }),
      });
  };
  if (response !== undefined) visit(response, "", "", 0);
}

/** Replaces values that an earlier response gave by references to it. Only values that look like ids are followed. */
export function linkValues(recorded: RecordedStep[]): JsonObject[] {
  const known = new Map<string, Found>();
  return recorded.map(({ step, response }) => {
    const linked = known.size === 0 ? step : withLinks(step, known);
    if (response !== undefined) collect(response, "", "", linked, known, 0);
    return linked;
  });
}

/** Stored separately until the journey is finished, because steps are copied meanwhile. */
function secretOutput(
  importing: Importing,
  step: JsonObject,
  { pointer, key }: { pointer: string; key: string },
): string {
  const stepId = ownString(step, "stepId") ?? "";
  const outputs = importing.outputs.get(stepId) ?? {};
  const expression = `$response.body#${pointer}`;
  const known = Object.keys(outputs).find((name) => outputs[name] === expression);
  const name = known ?? uniqueSlug(`secret-${key}`, new Set(Object.keys(outputs)));
  importing.outputs.set(stepId, { ...outputs, [name]: expression });
  return `$steps.${stepId}.outputs.${name}`;
}

function looksLikeId(key: string, value: JsonValue): string | undefined {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !/^[\w.-]{4,200}$/.test(text)) return undefined;
  const named = /(^|[a-z_-])(id|uuid|key|slug|number)$/i.test(key);
  return named || /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(text) ? text : undefined;
}

function collect(
  value: JsonValue,
  pointer: string,
  key: string,
  step: JsonObject,
  known: Map<string, Found>,
  depth: number,
): void {
  if (known.size >= VALUES_MAX || depth > 12) return;
  if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, childPointer(pointer, name), name, step, known, depth + 1);
    }
    return;
  }
  const id = looksLikeId(key, value);
  if (id !== undefined && !known.has(id)) known.set(id, { step, pointer, key });
}

function withLinks(step: JsonObject, known: ReadonlyMap<string, Found>): JsonObject {
  const linked: JsonObject = { ...step };
  const operation = ownObject(step, "x-operation");
  const url = ownString(operation, "url");
  if (url !== undefined && operation !== undefined) {
    const path = url.split("/").map((part, index) => (index > 2 ? linkedPart(part, known) : part));
    linked["x-operation"] = { ...operation, url: path.join("/") };
  }
  const parameters = ownArray(step, "parameters").map((parameter) =>
    isObject(parameter) ? { ...parameter, value: linkedValue(parameter["value"] ?? null, known) } : parameter,
  );
  if (parameters.length > 0) linked["parameters"] = parameters;
  const body = ownObject(step, "requestBody");
  if (body !== undefined)
    linked["requestBody"] = { ...body, payload: linkedValue(body["payload"] ?? null, known) };
  return linked;
}

function linkedPart(part: string, known: ReadonlyMap<string, Found>): string {
  const found = known.get(part);
  return found === undefined ? part : `{${reference(found)}}`;
}

function linkedValue(value: JsonValue, known: ReadonlyMap<string, Found>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => linkedValue(item, known));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, linkedValue(member, known)]),
    );
  }
  const found = typeof value === "string" ? known.get(value) : undefined;
  return found === undefined ? value : reference(found);
}

/** Adds the output to the earlier step when it hasn't got it. */
function reference({ step, pointer, key }: Found): string {
  const outputs: JsonObject = ownObject(step, "outputs") ?? {};
  const expression = `$response.body#${pointer}`;
  let name = Object.keys(outputs).find((output) => outputs[output] === expression);
  if (name === undefined) {
    name = uniqueSlug(key, new Set(Object.keys(outputs)), "value");
    step["outputs"] = { ...outputs, [name]: expression };
  }
  return `$steps.${ownString(step, "stepId") ?? ""}.outputs.${name}`;
}
