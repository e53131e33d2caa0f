import { carriesCredentials } from "./carries-credentials.ts";
import { containsApiKey } from "./redact-api-keys.ts";

/** A credential in a description. */
export interface FoundCredential {
  /** The names and indexes that lead to the value. */
  path: (string | number)[];
  /** Completes "the value at this place …". */
  message: string;
}

/** The members whose `url` is an address of a description itself, not of an example in it. */
const ADDRESSED = new Set<string | number>(["servers", "server", "externalDocs", "contact", "license"]);
/** Addresses of security schemes. */
const SECURITY_ADDRESSES = new Set<string | number>([
  "authorizationUrl",
  "tokenUrl",
  "refreshUrl",
  "openIdConnectUrl",
]);
/** Members with values of the API, in which any name may occur. */
const VALUES = new Set<string | number>(["example", "examples", "default", "enum", "const", "properties"]);

/** Members with examples, which are documentation: GitHub's description shows a private key that an answer has. */
const EXAMPLES = new Set<string | number>(["example", "examples", "x-example", "x-examples"]);

const PRIVATE_KEYS = /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----/g;

/**
 * Finds the first credential in a description: a Waymark key anywhere, a private key anywhere but in an example, or an address of a server,
 * of documentation or of authorization with a user, a password or a token. No other text is taken for a secret. Iterative and by identity:
 * aliases make a graph.
 *
 * @param text the source of the document, whose comments are searched, too
 */
export function findCredentials(document: unknown, text?: string): FoundCredential | undefined {
  const visited = { example: new Set<object>(), value: new Set<object>(), other: new Set<object>() };
  const stack: Place[] = [{ value: document, path: undefined, kind: "other" }];
  let shownKeys = 0;
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { value, path, kind } = place;
    const message = typeof value === "string" ? describe(value, place) : undefined;
    if (message !== undefined) return { path: namesOf(path), message };
    if (typeof value === "string") shownKeys += countPrivateKeys(value);
    if (typeof value !== "object" || value === null || visited[kind].has(value)) continue;
    visited[kind].add(value);
    for (const [key, item] of Object.entries(value)) {
      if (credentialIn(key) !== undefined)
        return { path: namesOf(path), message: "has a member whose name is a key" };
      const name = Array.isArray(value) ? Number(key) : key;
      stack.push({ value: item, path: { name, parent: path }, kind: kindOf(name, place) });
    }
  }
  return text === undefined ? undefined : besideValues(text, shownKeys);
}

/** Returns what a text has that is a secret wherever it occurs, completing "the text …". */
export function credentialIn(text: string): string | undefined {
  return apiKeyIn(text) ?? (countPrivateKeys(text) > 0 ? "has a private key" : undefined);
}

/** Returns what a text has that is a secret of Waymark, completing "the text …". */
export function apiKeyIn(text: string): string | undefined {
  return containsApiKey(text) ? "has an API key or a token of Waymark" : undefined;
}

/** Finds what only the source of a document has, such as a key in a comment. */
function besideValues(text: string, shownKeys: number): FoundCredential | undefined {
  const isHidden = countPrivateKeys(text) > shownKeys;
  const message = apiKeyIn(text) ?? (isHidden ? "has a private key outside of its examples" : undefined);
  return message === undefined ? undefined : { path: [], message };
}

function countPrivateKeys(text: string): number {
  return text.includes("-----BEGIN") ? (text.match(PRIVATE_KEYS)?.length ?? 0) : 0;
}

interface Path {
  name: string | number;
  parent: Path | undefined;
}

interface Place {
  value: unknown;
  path: Path | undefined;
  /** `value`: in values of the API. `example`: in an example of them. */
  kind: "example" | "value" | "other";
}

function kindOf(name: string | number, { kind, path }: Place): Place["kind"] {
  // Below `properties`, it is the name of a property.
  if (kind === "example" || (EXAMPLES.has(name) && path?.name !== "properties")) return "example";
  return VALUES.has(name) ? "value" : kind;
}

function describe(text: string, { path, kind }: Place): string | undefined {
  const credential = kind === "example" ? apiKeyIn(text) : credentialIn(text);
  if (credential !== undefined || kind !== "other" || path === undefined) return credential;
  const address = addressIn(text, path);
  return address !== undefined && carriesCredentials(address)
    ? "is an address with a user, a password or a token"
    : undefined;
}

/** Returns the text of an address, which a host of Swagger 2.0 is the beginning of. */
function addressIn(text: string, { name, parent }: Path): string | undefined {
  if (parent === undefined) return name === "host" ? `https://${text}` : undefined;
  if (SECURITY_ADDRESSES.has(name)) return text;
  const owner = typeof parent.name === "number" ? parent.parent : parent;
  return name === "url" && owner !== undefined && ADDRESSED.has(owner.name) ? text : undefined;
}

function namesOf(path: Path | undefined): (string | number)[] {
  const names: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) names.push(at.name);
  return names.toReversed();
}
