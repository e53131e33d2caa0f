import { SEVERITY_COLORS } from "../severities.ts";

/** The levels of changes, as people read them. */
export const LEVELS = {
  breaking: { label: "breaks clients", color: SEVERITY_COLORS.critical },
  maybe: { label: "may break clients", color: SEVERITY_COLORS.medium },
  safe: { label: "breaks no client", color: SEVERITY_COLORS.info },
} as const;
