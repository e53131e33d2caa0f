import { ownArray, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { uniqueSlug } from "../template/names.ts";
import { newYaml } from "../template/write-yaml.ts";

export interface ExternalCall {
  operationId: string;
  /** Parameters for the expressions in the URL, and for its query. */
  parameters: JsonObject[];
}

export interface ExternalOperations {
  source: JsonObject | undefined;
  /** The document has no other source. */
  isOnlySource: boolean;
  files: { name: string; text: string }[];
  /** By `workflow index/step index`. */
  calls: Map<string, ExternalCall>;
  notes: string[];
}

const FILE = "external.openapi.yaml";

interface Described {
  operationId: string;
  server: string;
}

/** An OpenAPI document for the calls that no source describes, so that plain Arazzo can name them. */
export function externalOperations(root: JsonObject): ExternalOperations {
  const calls = new Map<string, ExternalCall>();
  const described = new Map<string, Described>();
  const paths: Record<string, JsonObject> = {};
  const notes: string[] = [];
  const taken = new Set<string>();
  for (const [workflow, value] of ownArray(root, "workflows").entries()) {
    for (const [index, step] of ownArray(value, "steps").entries()) {
      const operation = ownObject(step, "x-operation");
      const url = ownString(operation, "url");
      if (url === undefined) continue;
      const stepId = ownString(step, "stepId") ?? "";
      const method = (ownString(operation, "method") ?? "GET").toLowerCase();
      const { server, path, parameters } = splitUrl(url);
      if (server.includes("{"))
        notes.push(`${stepId}: its server comes from an expression; set it in ${FILE}.`);
      const key = `${method} ${path}`;
      const before = described.get(key);
      if (before !== undefined && before.server !== server) {
        notes.push(
          `${stepId}: ${server} and ${before.server} have the same path; it now calls ${before.server}.`,
        );
      }
      const operationId = before?.operationId ?? uniqueSlug(`external-${stepId}`, taken);
      if (before === undefined) {
        described.set(key, { operationId, server });
        paths[path] = { ...paths[path], [method]: describe(operationId, server, path) };
      }
      calls.set(`${workflow}/${index}`, { operationId, parameters });
    }
  }
  if (calls.size === 0) return { source: undefined, isOnlySource: false, files: [], calls, notes };
  const names = ownArray(root, "sourceDescriptions").flatMap((source) => ownString(source, "name") ?? []);
  const name = uniqueSlug("external", new Set(names));
  const text = newYaml({
    openapi: "3.1.0",
    info: { title: "Calls outside every source", version: "1.0.0" },
    paths,
  });
  const source = { name, url: `./${FILE}`, type: "openapi" };
  return { source, isOnlySource: names.length === 0, files: [{ name: FILE, text }], calls, notes };
}

function describe(operationId: string, server: string, path: string): JsonObject {
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? "");
  return {
    operationId,
    servers: [{ url: server.includes("{") ? "http://localhost" : server }],
    parameters: [...new Set(names)].map((name) => ({ name, in: "path", required: true, schema: {} })),
    responses: { default: { description: "not described" } },
  };
}

/** Expressions in a URL's path become path parameters, its query becomes query parameters. */
function splitUrl(url: string): { server: string; path: string; parameters: JsonObject[] } {
  const match = /^(https?:\/\/[^/?]+|\{[^{}]*\})(.*)$/is.exec(url);
  const server = match?.[1] ?? "http://localhost";
  const parameters: JsonObject[] = [];
  const [before = "", query = ""] = (match?.[2] ?? url).split("#")[0]?.split("?", 2) ?? [];
  const path = before.replaceAll(/\{(\$[^{}]+)\}/g, (_, expression: string) => {
    const name = `p${parameters.length + 1}`;
    parameters.push({ name, in: "path", value: expression });
    return `{${name}}`;
  });
  for (const [name, value] of new URLSearchParams(query)) {
    const expression = /^\{(\$[^{}]+)\}$/.exec(value)?.[1];
    if (!parameters.some((other) => other["in"] === "query" && other["name"] === name))
      parameters.push({ name, in: "query", value: expression ?? value });
  }
  return { server, path: path.startsWith("/") ? path : `/${path}`, parameters };
}
