import type { HostileCase } from "./case.ts";

/** Groups of cases, each for one process. Loaded only there, because some are large. */
export const GROUPS: Record<string, () => Promise<HostileCase[]>> = {
  "regular expressions": async () => (await import("./patterns.ts")).REGULAR_EXPRESSIONS,
  JSONPath: async () => (await import("./patterns.ts")).JSONPATHS,
  XPath: async () => (await import("./patterns.ts")).XPATHS,
  schemas: async () => (await import("./schemas.ts")).SCHEMAS,
  runs: async () => (await import("./runs.ts")).RUNS,
  answers: async () => (await import("./answers.ts")).ANSWERS,
  documents: async () => (await import("./documents.ts")).DOCUMENTS,
};
