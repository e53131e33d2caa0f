import type { ScanSettings } from "./settings.ts";

/** True if the description was linted, or other tools' reports were given: a scan without findings then says that there are none. */
export function hasFindings({ lint, foreign }: Pick<ScanSettings, "lint" | "foreign">): boolean {
  return lint !== undefined || foreign !== undefined;
}
