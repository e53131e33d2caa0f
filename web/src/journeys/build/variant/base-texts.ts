import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { hasErrors } from "@waymark/journeys/document/problem.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import type { VariantBase } from "@waymark/journey-authoring/variant/compose.ts";

export interface NamedText {
  path: string;
  text: string;
}

/** The texts that a variant is built on: a journey, and the overlays in between in the order of application. */
export interface BaseTexts {
  journey: NamedText;
  overlays: readonly NamedText[];
}

export function parseBase({ journey, overlays }: BaseTexts): VariantBase {
  return {
    base: parseDocument(journey.text, { file: journey.path }),
    below: overlays.map(({ path, text }) => parseOverlay(text, { file: path })),
  };
}

/** The first document that can't be read, and why. */
export function baseFault({ base, below }: VariantBase): string | undefined {
  const faulty = [base, ...below].find(({ problems }) => hasErrors(problems));
  const fault = faulty?.problems.find(({ severity }) => severity === "error");
  return faulty === undefined || fault === undefined
    ? undefined
    : `${faulty.file}, line ${fault.line}: ${fault.message}`;
}
