/** The reference tokens of a JSON pointer (RFC 6901), or undefined when the text is none. */
export function decodePointer(text: string): string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text.slice(1).split("/").map(decodeToken);
}

function decodeToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

/** The text of a JSON pointer. */
export function encodePointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${encodeToken(String(token))}`).join("");
}

function encodeToken(token: string): string {
  return token.includes("~") || token.includes("/")
    ? token.replaceAll("~", "~0").replaceAll("/", "~1")
    : token;
}

/** An own property's value: what a document names can never reach a prototype. */
export function ownValue(container: unknown, key: string): unknown {
  if (typeof container !== "object" || container === null) return undefined;
  if (Array.isArray(container)) {
    const items: unknown[] = container;
    return /^(?:0|[1-9]\d{0,15})$/.test(key) ? items[Number(key)] : undefined;
  }
  return isRecord(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}

/** What the tokens lead to, `undefined` where they lead nowhere. */
export function resolvePointer(value: unknown, tokens: readonly string[]): unknown {
  let current = value;
  for (const token of tokens) {
    current = ownValue(current, token);
    if (current === undefined) return undefined;
  }
  return current;
}

/** An object that is no array. Its own properties are what counts: read them with `ownValue` or `Object.entries`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
