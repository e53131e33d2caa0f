import { parseText } from "@waymark/journeys/document/parse-text.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";

export function check(text: string, file: string): Problem[] {
  return parseText(text, { file }).problems;
}
