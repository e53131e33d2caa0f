import { type JsonArray, ownArray, ownString, ownValue, type JsonValue } from "@waymark/openapi/json.ts";
import type { At, Description, Item } from "./description.ts";
import type { Servers } from "./operation.ts";

/** The limit of the addresses that the variables of one server make. */
export const ADDRESSES_MAX = 2000;
/** The limit of the addresses of one description. Beyond it, each server has one. */
export const ADDRESSES_TOTAL_MAX = 200_000;

/** The lists of servers that were read from a description: most operations have the description's. */
interface Known {
  lists: WeakMap<JsonArray, Servers>;
  left: number;
}

const knownOf = new WeakMap<Description, Known>();

/** Returns the servers: the operation's, else the path's, else the description's, else one with the address `""`. */
export function readServers(description: Description, item: Item, at: At): Servers {
  if (description.dialect === "2.0") return serversOf(servers2(description.root, at.value), false);
  const known = knownOf.get(description) ?? { lists: new WeakMap(), left: ADDRESSES_TOTAL_MAX };
  knownOf.set(description, known);
  for (const { value } of [at, ...item, description.rootAt()]) {
    const servers = readList(known, ownArray(value, "servers"));
    if (servers.addresses.size > 0) return servers;
  }
  return NONE;
}

function readList(known: Known, list: JsonArray): Servers {
  const found = known.lists.get(list);
  if (found !== undefined) return found;
  let isCut = false;
  const addresses = list.flatMap((server) => {
    const made = addressesOf(server, Math.max(1, Math.min(ADDRESSES_MAX, known.left)));
    known.left -= made.addresses.length;
    isCut ||= made.isCut;
    return made.addresses;
  });
  const servers = serversOf(addresses, isCut);
  known.lists.set(list, servers);
  return servers;
}

function serversOf(addresses: readonly string[], isCut: boolean): Servers {
  const unique = new Set(addresses);
  const basePaths = [...new Set(addresses.map(basePathOf))];
  return { addresses: unique, text: [...unique].join(", "), basePaths, isCut };
}

/** Returns one address for each combination of the values that the variables list, the default ones first. */
function addressesOf(server: JsonValue, max: number): { addresses: string[]; isCut: boolean } {
  const url = ownString(server, "url");
  if (url === undefined) return { addresses: [], isCut: false };
  const variables = ownValue(server, "variables") ?? null;
  let addresses = [url];
  let isCut = false;
  for (const [text, name] of new Map(
    [...url.matchAll(/\{([^{}]*)\}/g)].map(([all, key = ""]) => [all, key]),
  )) {
    const variable = ownValue(variables, name) ?? null;
    const values = [
      ...new Set([ownString(variable, "default") ?? text, ...ownArray(variable, "enum")]),
    ].filter((value) => typeof value === "string");
    isCut ||= values.length * addresses.length > max;
    addresses = values
      .slice(0, Math.ceil(max / addresses.length))
      .flatMap((value) => addresses.map((address) => address.replaceAll(text, () => value)))
      .slice(0, max);
  }
  return { addresses: addresses.map((address) => withLowerHost(address.replace(/\/+$/, ""))), isCut };
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

const NONE = serversOf([""], false);
