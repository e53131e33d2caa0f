import { redactApiKeys } from "@waymark/shared/lib/redact-api-keys.ts";

const NAMES = "(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|api_?key|raw_?key|secret|password";

// Match credentials anywhere in a line: in a field, a list of headers, a message, a stack, or JSON logged as text. Field
// names alone would miss most of these.
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`("(?:${NAMES})"[:,])(?:${TEXT}|\\[(?:${TEXT}|[^"\\]])*\\])`, "gi"), '$1"[redacted]"'],
  [
    new RegExp(String.raw`(\\"(?:${NAMES})\\"[:,])\\"(?:[^"\\]|\\\\.)*\\"`, "gi"),
    String.raw`$1\"[redacted]\"`,
  ],
  // The command that an error of Redis is about: its login.
  [new RegExp(`("name":"auth","args":)\\[(?:${TEXT}|[^"\\]])*\\]`, "g"), '$1"[redacted]"'],
  [/\b(Bearer|Basic)(?: |%20|\+)+[^\s"\\,;]+/gi, "$1 [redacted]"],
  [/(\b[a-z]+:\/\/[^\s"/:@]*:)[^\s"/@]+@/g, "$1[redacted]@"],
];

/** Removes credentials from a serialized log line: keys, authorization headers, cookies, passwords in addresses. */
export function redactLine(line: string): string {
  let redacted = redactApiKeys(line);
  for (const [pattern, replacement] of CREDENTIALS) redacted = redacted.replace(pattern, replacement);
  return redacted;
}
