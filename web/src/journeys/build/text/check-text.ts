import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";

/** Each kind loads its own check: that of journeys is 13 kB, and JSONPath, which overlays need, is larger. */
const CHECKS = {
  journey: () => import("./check-journey.ts"),
  overlay: () => import("./check-overlay.ts"),
  openapi: () => import("./check-description.ts"),
};

/**
 * Checks one text by itself. Rules that need the texts that it refers to are checked by the API when it is saved.
 *
 * @returns undefined if the code that checks the text can't be loaded
 */
export async function checkText(
  text: string,
  { kind, path }: Pick<JourneyDocument, "kind" | "path">,
): Promise<Problem[] | undefined> {
  const loaded = await CHECKS[kind]().catch(() => undefined);
  return loaded?.check(text, path);
}
