import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { uniqueSlug } from "../template/names.ts";
import { finishImport } from "./finish-import.ts";
import { linkValues, rememberSecrets } from "./har-links.ts";
import {
  foreignJson,
  isSensitive,
  knownMethod,
  safePayload,
  secretHeader,
  secretInput,
  startImport,
  STEPS_MAX,
  warnOfText,
} from "./imported.ts";
import type { Importing, ImportResult, RecordedStep } from "./imported.ts";
import { literal, literalValue } from "./literals.ts";
import { masked } from "./secret-shapes.ts";

/** Headers that the browser adds, or that the runner sets itself. */
const OWN_HEADERS =
  /^(:|sec-|host$|connection$|content-length$|content-type$|accept-encoding$|accept-language$|user-agent$|origin$|referer$|pragma$|cache-control$|dnt$|priority$|if-|te$|upgrade|traceparent$|tracestate$)/i;

const ASSETS = /^(image|font|audio|video)\/|css|javascript|ecmascript|wasm|text\/html/i;

/**
 * Makes a journey from a recording (HAR 1.2): every call of an API becomes a step that expects the recorded status.
 * Pages, scripts and pictures are left out, secrets become inputs, and an id that one response gave and a later
 * request used is taken from that response when the journey runs.
 */
export function importHar(text: string, { title }: { title: string }): ImportResult {
  const entries = ownObject(foreignJson(text), "log");
  if (entries === undefined) return { ok: false, message: "This is not a HAR file: it has no log." };
  const importing = startImport();
  const recorded: RecordedStep[] = [];
  let leftOut = 0;
  for (const entry of ownArray(entries, "entries")) {
    const made = stepOf(importing, entry);
    if (made === undefined) {
      leftOut += 1;
      continue;
    }
    recorded.push(made);
    rememberSecrets(importing, made);
    importing.at += 1;
    if (recorded.length < STEPS_MAX) continue;
    importing.notes.add(`Only the first ${STEPS_MAX} calls were taken.`);
    break;
  }
  if (leftOut > 0)
    importing.notes.add(
      `Left out: ${leftOut} pages, scripts, pictures, preflights or requests other than HTTP.`,
    );
  return finishImport(importing, title, linkValues(recorded));
}

function stepOf(importing: Importing, entry: JsonValue): RecordedStep | undefined {
  const request = ownObject(entry, "request");
  const response = ownObject(entry, "response");
  const method = knownMethod(ownString(request, "method") ?? "");
  const address = ownString(request, "url") ?? "";
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (request === undefined || method === undefined || url === undefined || !/^https?:$/.test(url.protocol))
    return undefined;
  const content = ownObject(response, "content");
  if (ASSETS.test(ownString(content, "mimeType") ?? "") || method === "OPTIONS") return undefined;
  if (url.username !== "" || url.password !== "") importing.notes.add("A user name in a URL was left out.");
  const last =
    url.pathname.split("/").findLast((part) => /[a-z]{2,}/i.test(part) && !/\d{3,}/.test(part)) ??
    url.hostname;
  const step: JsonObject = {
    stepId: uniqueSlug(masked(`${method} ${last}`), importing.stepIds),
    "x-operation": { url: url.origin + braced(url.pathname), method },
  };
  const parameters = parametersOf(importing, request, url);
  if (parameters.length > 0) step["parameters"] = parameters;
  const body = bodyOf(importing, ownObject(request, "postData"));
  if (body !== undefined) step["requestBody"] = body;
  const status = ownValue(response, "status");
  if (typeof status === "number" && status >= 100) {
    step["successCriteria"] = [{ "x-id": "status", condition: `$statusCode == ${status}` }];
  }
  return { step, response: responseJson(content) };
}

/** Braces in a recorded URL are not expressions. */
function braced(path: string): string {
  return path.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

function parametersOf(importing: Importing, request: JsonObject, url: URL): JsonObject[] {
  const query = [...url.searchParams].map(([name, value]) => ({
    name,
    in: "query",
    value:
      isSensitive(name) && value !== "" ? secretInput(importing, name, value) : literal(importing, value),
  }));
  const seen = new Set<string>();
  const headers = ownArray(request, "headers").flatMap((header) => {
    const name = ownString(header, "name") ?? "";
    const value = ownString(header, "value") ?? "";
    if (name === "" || OWN_HEADERS.test(name) || seen.has(name.toLowerCase())) return [];
    seen.add(name.toLowerCase());
    return [
      {
        name,
        in: "header",
        value:
          isSensitive(name) && value !== ""
            ? secretHeader(importing, name, value)
            : literal(importing, value),
      },
    ];
  });
  const repeated = query.filter(
    ({ name }, index) => query.findIndex((other) => other.name === name) !== index,
  );
  if (repeated.length > 0)
    importing.notes.add(`The parameter ${repeated[0]?.name} stood more than once; the first was taken.`);
  return [...query.filter((item) => !repeated.includes(item)), ...headers];
}

function bodyOf(importing: Importing, data: JsonObject | undefined): JsonObject | undefined {
  if (data === undefined) return undefined;
  const contentType = (ownString(data, "mimeType") ?? "").split(";")[0]?.trim() || "text/plain";
  const text = ownString(data, "text") ?? "";
  if (/json$/i.test(contentType)) {
    const value = foreignJson(text);
    if (value !== undefined) return { contentType, payload: ownPayload(importing, value) };
  }
  if (contentType === "application/x-www-form-urlencoded") {
    const listed = ownArray(data, "params").map(
      (item) => [ownString(item, "name") ?? "", ownString(item, "value") ?? ""] as const,
    );
    const pairs = listed.length > 0 ? listed : [...new URLSearchParams(text)];
    return { contentType, payload: ownPayload(importing, Object.fromEntries<JsonValue>(pairs)) };
  }
  if (contentType.startsWith("multipart/")) {
    importing.notes.add("A multipart body can't be taken over from a recording; write its payload by hand.");
    return { contentType, payload: {} };
  }
  if (text === "") return undefined;
  warnOfText(importing, text, `A body of type ${contentType}`);
  return { contentType, payload: literal(importing, text) };
}

/** Secrets are replaced before anything becomes an expression, so every expression is created here. */
function ownPayload(importing: Importing, value: JsonValue): JsonValue {
  const constants = literalValue(importing, value);
  return safePayload(importing, constants);
}

function responseJson(content: JsonObject | undefined): JsonValue | undefined {
  if (!/json/i.test(ownString(content, "mimeType") ?? "") || ownString(content, "encoding") !== undefined)
    return undefined;
  const value = foreignJson(ownString(content, "text") ?? "");
  return isObject(value) || Array.isArray(value) ? value : undefined;
}
