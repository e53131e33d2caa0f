import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";

export function check(text: string, file: string): Problem[] {
  return checkDocument(parseDocument(text, { file }));
}
