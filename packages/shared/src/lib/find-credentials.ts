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

const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----/;

/**
 * Finds the first credential in a description: a Waymark key or a private key anywhere, or an address of a server, of documentation or of
 * authorization with a user, a password or a token. No other text is taken for a secret. Iterative and by identity: aliases make a graph.
 */
export function findCredentials(document: unknown): FoundCredential | undefined {
  const visited = { values: new Set<object>(), others: new Set<object>() };
  const stack: Place[] = [{ value: document, path: undefined, isValue: false }];
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { value, path, isValue } = place;
    const message = typeof value === "string" ? describe(value, place) : undefined;
    if (message !== undefined) return { path: namesOf(path), message };
    const known = isValue ? visited.values : visited.others;
    if (typeof value !== "object" || value === null || known.has(value)) continue;
    known.add(value);
    for (const [key, item] of Object.entries(value)) {
      if (credentialIn(key) !== undefined)
        return { path: namesOf(path), message: "has a member whose name is a key" };
      const name = Array.isArray(value) ? Number(key) : key;
      stack.push({ value: item, path: { name, parent: path }, isValue: isValue || VALUES.has(name) });
    }
  }
  return undefined;
}

/** Returns what a text has that is a secret wherever it occurs, completing "the text …". */
export function credentialIn(text: string): string | undefined {
  if (containsApiKey(text)) return "has an API key or a token of Waymark";
  return text.includes("-----BEGIN") && PRIVATE_KEY.test(text) ? "has a private key" : undefined;
}

interface Path {
  name: string | number;
  parent: Path | undefined;
}

interface Place {
  value: unknown;
  path: Path | undefined;
  /** True inside of values of the API. */
  isValue: boolean;
}

function describe(text: string, { path, isValue }: Place): string | undefined {
  const credential = credentialIn(text);
  if (credential !== undefined || isValue || path === undefined) return credential;
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
