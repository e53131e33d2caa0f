import type { DuplicateKey } from "@waymark/openapi/parse/duplicate-keys.ts";
import type { NormalizedFinding, Severity } from "@waymark/shared/scans/schema.ts";
import type { ExitCode } from "../lib/cli-error.ts";

/** The code of a finding that says that findings are missing. */
export const LINT_FAILED = "lint-failed";

/** A description to lint. */
export interface LintSource {
  /** Absolute path. */
  file: string;
  text: string;
  /** The parsed document. */
  value: unknown;
  duplicateKeys: readonly DuplicateKey[];
}

/** The task of a lint worker. */
export interface LintTask {
  source: LintSource;
  /** A ruleset in the form of `redocly.yaml`; undefined for the engine's recommended rules. */
  rulesFile: string | undefined;
  /** Severities by rule, for rules whose findings don't have the rule engine's. */
  severities: ReadonlyMap<string, Severity>;
  /** Plugins are code: they run only where the operator allows it. */
  allowPlugins: boolean;
  allowOutside: boolean;
}

/** A finding with its position, as a worker sends it. */
export interface PlacedFinding extends NormalizedFinding {
  /** Absolute path. */
  file: string;
  line: number;
  column: number;
  helpUrl: string | undefined;
}

/** A message of a lint worker. */
export type LintMessage =
  /** The rules begin to run. */
  | { type: "started" }
  /** The rule or pattern that a `Watch` has under this number. */
  | { type: "named"; index: number; text: string }
  /** A file that was read. */
  | { type: "read"; file: string }
  /** `failures` says which rules failed, one sentence each; `ignored` counts what the ignore file covers. */
  | { type: "done"; findings: PlacedFinding[]; failures: string[]; ignored: number }
  | { type: "refused"; exitCode: ExitCode; message: string; details: readonly string[] };
