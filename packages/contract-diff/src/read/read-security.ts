import { isObject, ownArray, ownObject, ownString, ownValue, type JsonValue } from "@waymark/openapi/json.ts";
import type { At, Description } from "./description.ts";
import type { SecurityAlternative } from "./operation.ts";

/** A scheme by what is on the wire; its name is not. */
export interface SecurityScheme {
  /** Equal for schemes that a request satisfies in the same way. */
  key: string;
  /** The addresses that clients get their tokens from, by their field. */
  addresses: ReadonlyMap<string, string>;
  /** The scopes that it defines; undefined if it defines none by itself. */
  scopes: ReadonlySet<string> | undefined;
  at: At | undefined;
}

/** Returns the alternatives of an operation: its own, else those of the description, else the empty one. */
export function readSecurity(description: Description, at: At): SecurityAlternative[] {
  const declared = ownValue(at.value, "security") ?? ownValue(description.root, "security");
  if (!Array.isArray(declared) || declared.length === 0) return [new Map()];
  return declared.map((alternative: JsonValue) => {
    const schemes = new Map<string, ReadonlySet<string>>();
    for (const [name, scopes] of Object.entries(isObject(alternative) ? alternative : {})) {
      const { key } = readScheme(description, name);
      const listed = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [];
      schemes.set(key, new Set([...(schemes.get(key) ?? []), ...listed]));
    }
    return schemes;
  });
}

export function readScheme(description: Description, name: string): SecurityScheme {
  const parent =
    description.dialect === "2.0"
      ? description.member(description.rootAt(), "securityDefinitions")
      : description.member(description.member(description.rootAt(), "components"), "securitySchemes");
  const at = description.member(parent, name);
  if (at === undefined) return { key: `undefined ${name}`, addresses: new Map(), scopes: undefined, at };
  return { key: keyOfScheme(at.value), ...readFlows(at.value), at };
}

function keyOfScheme(value: JsonValue): string {
  const type = ownString(value, "type") ?? "";
  if (type === "apiKey") {
    const place = ownString(value, "in") ?? "";
    const name = ownString(value, "name") ?? "";
    return `apiKey ${place} ${place === "header" ? name.toLowerCase() : name}`;
  }
  if (type === "basic") return "http basic";
  return type === "http" ? `http ${(ownString(value, "scheme") ?? "").toLowerCase()}` : type;
}

function readFlows(value: JsonValue): Pick<SecurityScheme, "addresses" | "scopes"> {
  const addresses = new Map<string, string>();
  const scopes = new Set<string>();
  const flows = ownObject(value, "flows");
  const named: [string, JsonValue][] =
    flows === undefined ? [[ownString(value, "flow") ?? "", value]] : Object.entries(flows);
  for (const [flow, each] of named) {
    for (const field of [
      "authorizationUrl",
      "tokenUrl",
      "refreshUrl",
      "deviceAuthorizationUrl",
      "openIdConnectUrl",
    ]) {
      const address = ownString(each, field);
      if (address !== undefined) addresses.set(`${flow} ${field}`, address);
    }
    for (const scope of Object.keys(ownObject(each, "scopes") ?? {})) scopes.add(scope);
  }
  const isOauth = ownString(value, "type") === "oauth2";
  return { addresses, scopes: isOauth ? scopes : undefined };
}

/** Returns the names of the schemes that an operation's alternatives list. */
export function schemeNames(description: Description, at: At): string[] {
  const own = ownValue(at.value, "security") === undefined ? description.root : at.value;
  const alternatives = ownArray(own, "security");
  return [...new Set(alternatives.flatMap((each) => (isObject(each) ? Object.keys(each) : [])))];
}
