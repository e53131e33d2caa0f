import { folderWith, type MakeHostile, wellFormed } from "./files.ts";

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

/** `waymark init` in a repository with hostile names and titles. */
export const HOSTILE_INIT: Record<string, MakeHostile> = {
  "a description with a hostile title, and one that is left out": async (text) => {
    const title = wellFormed(text);
    const { path: cwd } = await folderWith({
      "openapi.json": { openapi: "3.1.0", info: { title, version: "1" }, paths: { "/a": { get: {} } } },
      "old.json": { openapi: title, info: {}, paths: {} },
    });
    return { args: ["init", "--yes", "--force"], cwd };
  },
  "nothing to find": async (text) => {
    const { path: cwd } = await folderWith({ "old.json": { openapi: wellFormed(text), info: {} } });
    return { args: ["init", "--yes"], cwd };
  },
};
