import { ownValue } from "@waymark/openapi/json.ts";
import { member, members, rootOf, versionOf } from "@waymark/openapi/references.ts";
import type { Located, OpenApiSource } from "@waymark/openapi/references.ts";
import type { FoundOperation } from "./find-operation.ts";

/** The server of a source to use. `url` replaces all of them; otherwise `environment` selects one by its name. */
export interface ServerChoice {
  url?: string | undefined;
  environment?: string | undefined;
  variables?: Readonly<Record<string, string>> | undefined;
}

/** The base URL of an operation, with its variables replaced; undefined if it is relative and has no base. */
export function serverOf(
  source: OpenApiSource,
  found: FoundOperation,
  choice: ServerChoice = {},
): string | undefined {
  if (choice.url !== undefined) return trimSlash(choice.url);
  const url = versionOf(source.document) === 2 ? swaggerServer(source) : openApiServer(source, found, choice);
  return absolute(url, source.url);
}

function openApiServer(source: OpenApiSource, found: FoundOperation, choice: ServerChoice): string {
  const lists = [found.operation, ...found.pathItem, rootOf(source)].map((owner) =>
    members(source, member(source, owner, "servers")).map(([, server]) => server),
  );
  const servers = lists.find((list) => list.length > 0) ?? [];
  const named = servers.find(({ value }) => isNamed(value, choice.environment));
  const server = named ?? servers[0];
  return server === undefined ? "/" : fillVariables(source, server, choice.variables ?? {});
}

/** OpenAPI 3.2 gives servers a name; before it, `x-environment` says the same. */
function isNamed(server: unknown, environment: string | undefined): boolean {
  if (environment === undefined) return false;
  return ownValue(server, "x-environment") === environment || ownValue(server, "name") === environment;
}

function fillVariables(
  source: OpenApiSource,
  server: Located,
  given: Readonly<Record<string, string>>,
): string {
  const url = ownValue(server.value, "url");
  const variables = member(source, server, "variables");
  return (typeof url === "string" ? url : "/").replaceAll(/\{([^{}]+)\}/gu, (whole, name: string) => {
    const described = ownValue(variables?.value, name);
    const value = Object.hasOwn(given, name) ? given[name] : ownValue(described, "default");
    const allowed = ownValue(described, "enum");
    if (Array.isArray(allowed) && allowed.every((item) => item !== value)) {
      throw new ReferenceError(
        `the server variable "${name}" must be one of ${allowed.map(String).join(", ")}`,
      );
    }
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
}

function swaggerServer(source: OpenApiSource): string {
  const host = ownValue(source.document, "host");
  const basePath = ownValue(source.document, "basePath");
  const path = typeof basePath === "string" ? basePath : "/";
  if (typeof host !== "string") return path;
  const schemes = ownValue(source.document, "schemes");
  const offered: unknown[] = Array.isArray(schemes) ? schemes : [];
  const scheme = offered.includes("https") || !offered.includes("http") ? "https" : "http";
  return `${scheme}://${host}${path}`;
}

function absolute(url: string, base: string): string | undefined {
  if (/^https?:\/\//i.test(url)) return trimSlash(url);
  if (!/^https?:\/\//i.test(base)) return undefined;
  return trimSlash(new URL(url, base).href);
}

function trimSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
