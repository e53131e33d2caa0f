import { parseText } from "@waymark/journeys/document/parse-text.ts";
import type { ParsedText } from "@waymark/journeys/document/parse-text.ts";

/** A parsed text with its tokens: the input of `editOpened`, which returns one for the next command. */
export type OpenedText = ParsedText & { readonly opened: true };

/** Parses a text once, for any number of commands. The first of them reports the text's faults. */
export function openForEdits(text: string, { file }: { file: string }): OpenedText {
  return { ...parseText(text, { file, keepTokens: true }), opened: true };
}
