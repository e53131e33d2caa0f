import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { uniqueSlug } from "../template/names.ts";
import { finishImport } from "./finish-import.ts";
import { foreignJson, isSensitive, knownMethod, startImport, STEPS_MAX } from "./imported.ts";
import type { Importing, ImportResult } from "./imported.ts";
import { postmanAuth } from "./postman-auth.ts";
import { postmanBody } from "./postman-body.ts";
import { postmanTests } from "./postman-tests.ts";
import { masked } from "./secret-shapes.ts";
import { declareVariables, substituted } from "./postman-variables.ts";

/**
 * Makes a journey from a Postman collection (2.0 or 2.1): requests in the order of their folders become steps,
 * `{{variables}}` become inputs, the common tests become criteria and outputs; what can't be taken over is noted.
 */
export function importPostman(text: string, { title }: { title?: string } = {}): ImportResult {
  const root = foreignJson(text);
  const info = ownObject(root, "info");
  if (info === undefined || !Array.isArray(ownValue(root, "item"))) {
    return {
      ok: false,
      message: "This is not a Postman collection: it has no info and item. Export it as Collection v2.1.",
    };
  }
  const importing = startImport();
  declareVariables(importing, root);
  const steps: JsonObject[] = [];
  noteScripts(importing, root ?? null, "The collection");
  collect(importing, ownArray(root, "item"), ownObject(root, "auth"), steps, 0);
  return finishImport(importing, title ?? masked(ownString(info, "name") ?? ""), steps);
}

function collect(
  importing: Importing,
  items: JsonValue[],
  auth: JsonObject | undefined,
  steps: JsonObject[],
  depth: number,
): void {
  if (depth > 50) return;
  for (const item of items) {
    if (steps.length >= STEPS_MAX) {
      importing.notes.add(`Only the first ${STEPS_MAX} requests were taken.`);
      return;
    }
    const inherited = ownObject(item, "auth") ?? auth;
    if (Array.isArray(ownValue(item, "item"))) {
      noteScripts(importing, item, `The folder ${masked(ownString(item, "name") ?? "")}`);
      collect(importing, ownArray(item, "item"), inherited, steps, depth + 1);
    } else {
      const step = stepOf(importing, item, inherited);
      if (step !== undefined) steps.push(step);
    }
  }
}

/** Scripts that run around every request of a collection or folder. */
function noteScripts(importing: Importing, holder: JsonValue, name: string): void {
  const hasScript = ownArray(holder, "event").some((event) => {
    const script = ownObject(event, "script");
    const lines = ownArray(script, "exec");
    return lines.length > 0
      ? lines.some((line) => typeof line === "string" && line.trim() !== "")
      : (ownString(script, "exec") ?? "").trim() !== "";
  });
  if (hasScript) importing.notes.add(`${name} has a script that runs with every request; it was left out.`);
}

function stepOf(importing: Importing, item: JsonValue, auth: JsonObject | undefined): JsonObject | undefined {
  const name = masked(ownString(item, "name") ?? "request");
  const given = ownValue(item, "request");
  const request: JsonObject =
    typeof given === "string" ? { url: given, method: "GET" } : isObject(given) ? given : {};
  const method = knownMethod(ownString(request, "method") ?? "GET");
  const address = addressOf(importing, request);
  if (method === undefined || address === undefined) {
    importing.notes.add(`${name} was left out: its method or URL can't be taken over.`);
    return undefined;
  }
  const stepId = uniqueSlug(name, importing.stepIds);
  const step: JsonObject = { stepId };
  const description = ownString(request, "description");
  if (description !== undefined && description !== "") step["description"] = description;
  step["x-operation"] = { url: address.url, method };
  const headers = headersOf(importing, request);
  const own = postmanAuth(importing, ownObject(request, "auth") ?? auth);
  const wanted = own.filter(({ name: header }) => !headers.some((other) => sameHeader(other, header)));
  const parameters = [...address.query, ...headers, ...wanted];
  if (parameters.length > 0) step["parameters"] = parameters;
  const body = postmanBody(importing, ownObject(request, "body"), name);
  if (body !== undefined) step["requestBody"] = body;
  const { criteria, outputs } = postmanTests(importing, item, { name, stepId });
  if (criteria.length > 0) step["successCriteria"] = criteria;
  if (Object.keys(outputs).length > 0) step["outputs"] = outputs;
  return step;
}

function sameHeader(parameter: JsonObject, name: JsonValue | undefined): boolean {
  return typeof name === "string" && ownString(parameter, "name")?.toLowerCase() === name.toLowerCase();
}

function addressOf(
  importing: Importing,
  request: JsonObject,
): { url: string; query: JsonObject[] } | undefined {
  const given = ownValue(request, "url");
  const raw = typeof given === "string" ? given : (ownString(given, "raw") ?? joined(given));
  if (raw.trim() === "") return undefined;
  const [whole = "", search = ""] = (raw.trim().split("#")[0] ?? "").split("?", 2);
  const path = whole.replace(/^([a-z]+:\/\/)[^/@]*@/i, (_, scheme: string) => {
    importing.notes.add("A user name in a URL was left out.");
    return scheme;
  });
  const variables = new Map(
    ownArray(given, "variable").map(
      (item) => [ownString(item, "key") ?? "", ownString(item, "value") ?? ""] as const,
    ),
  );
  const filled = path
    .split("/")
    .map((part) => (part.startsWith(":") && part.length > 1 ? pathVariable(part.slice(1), variables) : part))
    .join("/");
  const url = substituted(importing, filled, true);
  const absolute = /^(?:https?:\/\/|\{\$)/i.test(url) ? url : `http://${url}`;
  return { url: absolute, query: queryOf(importing, given, search) };
}

/** A URL that is given only in parts. */
function joined(url: JsonValue | undefined): string {
  const list = (key: string, between: string): string =>
    ownString(url, key) ??
    ownArray(url, key)
      .map((part) => (typeof part === "string" ? part : (ownString(part, "value") ?? "")))
      .join(between);
  const host = list("host", ".");
  if (host === "") return "";
  const port = ownString(url, "port");
  return `${ownString(url, "protocol") ?? "http"}://${host}${port === undefined ? "" : `:${port}`}/${list("path", "/").replace(/^\//, "")}`;
}

function pathVariable(name: string, values: ReadonlyMap<string, string>): string {
  const value = values.get(name) ?? "";
  if (value !== "") return value;
  return `{{${name}}}`;
}

function queryOf(importing: Importing, url: JsonValue | undefined, search: string): JsonObject[] {
  const listed = ownArray(url, "query").flatMap((item) =>
    ownValue(item, "disabled") === true
      ? []
      : [[ownString(item, "key") ?? "", ownString(item, "value") ?? ""] as const],
  );
  const pairs = Array.isArray(ownValue(url, "query")) ? listed : [...new URLSearchParams(search)];
  const first = new Map(pairs.filter(([key]) => key !== "").toReversed());
  return [...first].toReversed().map(([name, value]) => ({
    name,
    in: "query",
    value: substituted(importing, value, false, isSensitive(name) ? name : undefined),
  }));
}

function headersOf(importing: Importing, request: JsonObject): JsonObject[] {
  const headers = new Map<string, JsonObject>();
  for (const header of ownArray(request, "header")) {
    const name = ownString(header, "key") ?? "";
    if (
      name === "" ||
      ownValue(header, "disabled") === true ||
      /^(content-type|content-length|host)$/i.test(name)
    )
      continue;
    const value = substituted(
      importing,
      ownString(header, "value") ?? "",
      false,
      isSensitive(name) ? name : undefined,
    );
    headers.set(name.toLowerCase(), { name, in: "header", value });
  }
  return [...headers.values()];
}
