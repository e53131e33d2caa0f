import type { Severity } from "@waymark/shared/scans/schema.ts";

/** The most severe first. */
export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const satisfies Severity[];

/** Colours with a contrast of at least 4.5:1 to white text, in both colour schemes. */
export const SEVERITY_COLORS: Readonly<Record<Severity, string>> = {
  critical: "red.9",
  high: "#b23c0a",
  medium: "#8a6100",
  low: "blue.8",
  info: "gray.7",
};
