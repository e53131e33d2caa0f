// C0, DEL, C1, bidirectional controls, line and paragraph separators, and lone surrogates; and the first # of a CI command,
// which may be anywhere in a line: ##[error] in GitHub Actions, ##vso[task] in Azure Pipelines, ##teamcity[message].
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]|#(?=#\w*\[)/gu;

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

/** Writes every character that `escapeControls` escapes as a JSON escape such as `\u009b`, which keeps the meaning. */
export function escapeJson(json: string): string {
  return json
    .replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, unicodeEscape)
    .replace(/#(?=#\w*\[)/g, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
