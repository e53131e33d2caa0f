// C0, DEL, C1, the bidirectional controls, the line and paragraph separators, and lone surrogates; and the first # of what
// begins a command anywhere in a line: ##[error] in GitHub Actions, ##vso[task] in Azure Pipelines, ##teamcity[message].
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]|#(?=#\w*\[)/gu;

const SHORT: Record<string, string> = { "\t": String.raw`\t`, "\n": String.raw`\n`, "\r": String.raw`\r` };

/**
 * Text of foreign origin for a terminal or a log, in one line: what could move the cursor, forge a line or reverse the reading
 * order is shown as `\n` or `\u{1b}` instead.
 */
export function escapeControls(text: string): string {
  return text.replace(UNPRINTABLE, escapeControl);
}

/** How one such character is shown. */
export function escapeControl(character: string): string {
  return SHORT[character] ?? String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A value as JSON that can be shown: JSON itself escapes C0 and lone surrogates only. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, undefined, indent));
}

/** JSON text with everything that `escapeControls` escapes written as `\u009b`, which means the same in JSON. */
export function escapeJson(json: string): string {
  return json
    .replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, unicodeEscape)
    .replace(/#(?=#\w*\[)/g, unicodeEscape);
}

function unicodeEscape(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
