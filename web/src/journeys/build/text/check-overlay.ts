import type { Problem } from "@waymark/journeys/document/problem.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";

export function check(text: string, file: string): Problem[] {
  return parseOverlay(text, { file }).problems;
}
