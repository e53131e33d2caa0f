import { ownArray, ownString, ownValue, type JsonValue } from "@waymark/openapi/json.ts";
import type { At, Description, Item } from "./description.ts";

/** The limit of the addresses that the variables of one server make. */
const ADDRESSES_MAX = 50;

/** Returns the addresses of the servers: the operation's, else the path's, else the description's, else `""`. */
export function readServers(description: Description, item: Item, at: At): string[] {
  if (description.dialect === "2.0") return servers2(description.root, at.value);
  for (const { value } of [at, ...item, description.rootAt()]) {
    const servers = ownArray(value, "servers").flatMap(addressesOf);
    if (servers.length > 0) return [...new Set(servers)];
  }
  return [""];
}

/** One address for each combination of the values that the variables list, the default ones first. */
function addressesOf(server: JsonValue): string[] {
  const url = ownString(server, "url");
  if (url === undefined) return [];
  const variables = ownValue(server, "variables") ?? null;
  let addresses = [url];
  for (const [text, name] of new Map(
    [...url.matchAll(/\{([^{}]*)\}/g)].map(([all, key = ""]) => [all, key]),
  )) {
    const variable = ownValue(variables, name) ?? null;
    const values = new Set([ownString(variable, "default") ?? text, ...ownArray(variable, "enum")]);
    addresses = [...values]
      .filter((value) => typeof value === "string")
      .flatMap((value) => addresses.map((address) => address.replaceAll(text, () => value)))
      .slice(0, ADDRESSES_MAX);
  }
  return addresses.map((address) => withLowerHost(address.replace(/\/+$/, "")));
}

function withLowerHost(address: string): string {
  return address.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#{}]*/i, (host) => host.toLowerCase());
}

function servers2(root: JsonValue, operation: JsonValue): string[] {
  const host = ownString(root, "host") ?? "";
  const base = (ownString(root, "basePath") ?? "").replace(/\/+$/, "");
  const own = ownArray(operation, "schemes");
  const schemes = (own.length > 0 ? own : ownArray(root, "schemes")).filter(
    (scheme) => typeof scheme === "string",
  );
  if (host === "") return [base];
  return (schemes.length === 0 ? [""] : schemes.map((scheme) => `${scheme}:`)).map((scheme) =>
    withLowerHost(`${scheme}//${host}${base}`),
  );
}

/** Returns the path of a server's address, which stands before every path; empty for a server at the root. */
export function basePathOf(server: string): string {
  const path = server.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  const trimmed = path.replace(/\/+$/, "").replace(/^\.(?=\/|$)/, "");
  return trimmed === "" || trimmed.startsWith("/") ? trimmed : `/${trimmed}`;
}
