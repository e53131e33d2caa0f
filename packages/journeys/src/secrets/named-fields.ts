import { isObject } from "@waymark/openapi/json.ts";
import { GUESS_LENGTH_MIN } from "./credential-texts.ts";
import { MAY_TELL_SECRET, tellsSecret } from "./secret-names.ts";

/** Per message: a server that sends thousands probably wants to cause load. */
const FIELDS_MAX = 100;

const FORM_FIELD = /(?:^|[&?])([\w.[\]-]{1,100})=([^&\s]{1,8192})/g;
const ELEMENT = /<(?:[\w-]{1,100}:)?([\w.-]{1,100})(?:\s[^<>]{0,1000})?>([^<>]{1,8192})<\//g;

/** A member of JSON in a text that is not JSON as a whole: of an event, a line, or a body that was cut, where its end may lack. */
const MEMBER = /"([\w.$-]{1,100})"\s*:\s*"((?:[^"\\]|\\.){1,8192})/g;

/** The texts with names of secrets in a message's body: members of JSON, fields of a form, elements of XML. */
export function namedSecrets({ text, body }: { text: string; body: unknown }): string[] {
  if (!MAY_TELL_SECRET.test(text)) return [];
  const found = isObject(body) || Array.isArray(body) ? inMembers(body, false, []) : inText(text);
  return found.filter((secret) => secret.length >= GUESS_LENGTH_MIN).slice(0, FIELDS_MAX);
}

function inMembers(value: unknown, isSecret: boolean, found: string[]): string[] {
  if (typeof value === "string") {
    if (isSecret) found.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) inMembers(item, isSecret, found);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value))
      inMembers(member, isSecret || tellsSecret(name), found);
  }
  return found;
}

function inText(text: string): string[] {
  const found: string[] = [];
  for (const pattern of [FORM_FIELD, ELEMENT, MEMBER]) {
    for (const [, name = "", value = ""] of text.matchAll(pattern)) {
      if (tellsSecret(name)) found.push(pattern === MEMBER ? unescaped(value) : value);
    }
  }
  return found;
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // Such as an escape that was cut.
    return text;
  }
}
