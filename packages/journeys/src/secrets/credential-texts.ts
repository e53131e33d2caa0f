import { isObject } from "@waymark/openapi/json.ts";

/** A shorter text needs more evidence than a name or a cookie to count as a secret. */
export const GUESS_LENGTH_MIN = 8;

const SCHEME = /^(?:basic|bearer|apikey|api-key|digest|dpop|hawk|key|token)\s+(?=\S)/i;

/** The secrets in the value of a header or parameter with a credential: the value without its scheme, and the password. */
export function credentialTexts(value: string): string[] {
  const bare = value.replace(SCHEME, "");
  return bare !== value && /^basic/i.test(value) ? [bare, ...passwordOf(bare)] : [bare];
}

function passwordOf(encoded: string): string[] {
  try {
    const text = new TextDecoder().decode(
      Uint8Array.from(atob(encoded.trim()), (unit) => unit.charCodeAt(0)),
    );
    const colon = text.indexOf(":");
    return colon < 0 ? [] : [text, text.slice(colon + 1)];
  } catch {
    // Not base64: the text itself is the secret.
    return [];
  }
}

/** The values of cookies, as `Cookie` and `Set-Cookie` have them, without short ones: `lang=en-US` is no secret. */
export function cookieTexts(header: string, value: string): string[] {
  const pairs = header.toLowerCase() === "cookie" ? value.split(";") : [value.split(";", 1)[0] ?? ""];
  return pairs
    .map((pair) =>
      pair
        .slice(pair.indexOf("=") + 1)
        .trim()
        .replaceAll(/^"|"$/g, ""),
    )
    .filter((text) => text.length >= GUESS_LENGTH_MIN);
}

/** The texts in a secret value: a secret may be an object, such as a user and a password. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isObject(value) ? Object.values(value).flatMap(textsOf) : [];
}
