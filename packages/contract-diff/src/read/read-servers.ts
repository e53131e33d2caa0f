import { ownArray, ownString, ownValue, type JsonValue } from "@waymark/openapi/json.ts";
import type { At, Description, Item } from "./description.ts";

/** Returns the addresses of the servers: the operation's, else the path's, else the description's, else `""`. */
export function readServers(description: Description, item: Item, at: At): string[] {
  if (description.dialect === "2.0") return servers2(description.root);
  for (const { value } of [at, ...item, description.rootAt()]) {
    const servers = ownArray(value, "servers").flatMap((server) => addressOf(server) ?? []);
    if (servers.length > 0) return [...new Set(servers)];
  }
  return [""];
}

function addressOf(server: JsonValue): string | undefined {
  const url = ownString(server, "url");
  const variables = ownValue(server, "variables") ?? null;
  const filled = url?.replaceAll(
    /\{([^{}]*)\}/g,
    (text, name: string) => ownString(ownValue(variables, name), "default") ?? text,
  );
  return filled?.replace(/\/+$/, "");
}

function servers2(root: JsonValue): string[] {
  const host = ownString(root, "host") ?? "";
  const base = (ownString(root, "basePath") ?? "").replace(/\/+$/, "");
  const schemes = ownArray(root, "schemes").filter((scheme) => typeof scheme === "string");
  if (host === "") return [base];
  return (schemes.length === 0 ? [""] : schemes.map((scheme) => `${scheme}:`)).map(
    (scheme) => `${scheme}//${host}${base}`,
  );
}

/** Returns the path of a server's address, which stands before every path; empty for a server at the root. */
export function basePathOf(server: string): string {
  const path = server.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  const trimmed = path.replace(/\/+$/, "").replace(/^\.(?=\/|$)/, "");
  return trimmed === "" || trimmed.startsWith("/") ? trimmed : `/${trimmed}`;
}
