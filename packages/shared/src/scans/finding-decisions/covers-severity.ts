import { SEVERITIES } from "../limits.ts";
import type { Severity } from "../schema.ts";

/** True if a decision up to a severity covers a finding. The SQL function `severities_up_to` returns the severities that it covers. */
export function coversSeverity(maxSeverity: Severity, severity: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(maxSeverity);
}
