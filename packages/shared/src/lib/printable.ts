import { INVISIBLE_CHARACTER } from "./invisible.ts";

// Invisible characters; and the first # of a CI command, which may be anywhere in a line: ##[error] in GitHub Actions,
// ##vso[task] in Azure Pipelines, ##teamcity[message].
const UNPRINTABLE = new RegExp(String.raw`${INVISIBLE_CHARACTER}|#(?=#\w*\[)`, "gu");

const SHORT: Record<string, string> = { "\t": String.raw`\t`, "\n": String.raw`\n`, "\r": String.raw`\r` };

/**
 * Escapes untrusted text for a terminal or a log, on one line. Characters that could move the cursor, forge a line or
 * reverse the reading order become escapes such as `\n` or `\u{1b}`.
 */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, escapeControl);
}

/** Escapes one such character. */
export function escapeControl(character: string): string {
  return SHORT[character] ?? String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A value as printable JSON. `JSON.stringify` alone escapes only C0 and lone surrogates. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, undefined, indent));
}

// The line breaks and the indentation of the JSON itself stay.
const INVISIBLE_IN_JSON = new RegExp(String.raw`(?![\u0000-\u001f])${INVISIBLE_CHARACTER}`, "gu");

/** Writes every character that `escapeControls` escapes as a JSON escape such as `\u009b`, which keeps the meaning. */
export function escapeJson(json: string): string {
  return json.replace(INVISIBLE_IN_JSON, unicodeEscapes).replace(/#(?=#\w*\[)/g, unicodeEscapes);
}

function unicodeEscapes(character: string): string {
  return character.replaceAll(
    /[^]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
