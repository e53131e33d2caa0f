import type { MakeHostile } from "./files.ts";

type DryRun = (files: (text: string) => Record<string, unknown>, more: string[]) => MakeHostile;

/** Scans with reports of other tools that have hostile texts. */
export const HOSTILE_FINDINGS = (dryRun: DryRun): Record<string, MakeHostile> => ({
  "findings of Spectral": dryRun(
    (text) => ({
      "report.json": [
        { code: text, message: text, severity: 0, path: ["paths", text], source: "spec.json" },
        { code: text, message: text, severity: 0, path: [text], source: `/${text}/spec.json` },
        { code: text, message: text, severity: 0, path: [text], source: `/x/${text}` },
      ],
    }),
    ["--findings", "report.json", "--fail-on", "high"],
  ),
  "findings of SARIF": dryRun(
    (text) => {
      const locations = [{ physicalLocation: { artifactLocation: { uri: "spec.json" } } }];
      const result = { ruleId: text, message: { text }, locations };
      const tool = { driver: { name: text } };
      const invocations = [{ executionSuccessful: false }];
      const results = [result, { ...result, suppressions: [{}] }];
      return { "report.json": { version: "2.1.0", runs: [{ tool, invocations, results }] } };
    },
    ["--findings", "report.json", "--fail-on", "high"],
  ),
  "findings about other files": dryRun(
    (text) => ({ "report.json": [{ code: text, message: text, severity: 0, source: `/x/${text}` }] }),
    ["--findings", "report.json"],
  ),
  "a report that is none": dryRun(
    (text) => ({ "report.json": { version: text, runs: [{ tool: { driver: { name: text } } }] } }),
    ["--findings", "report.json"],
  ),
});
