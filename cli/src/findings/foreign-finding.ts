import type { Severity } from "@waymark/shared/scans/schema.ts";
import type { OperationPlace } from "../openapi/operation-place.ts";

/** A finding of another tool, as its report has it. */
export interface ForeignFinding {
  code: string;
  severity: Severity;
  message: string;
  /** A path with slashes, absolute or relative; undefined if the report names no file. */
  file: string | undefined;
  /** Counted from 1; undefined if the report has no position. */
  line: number | undefined;
  column: number | undefined;
  /** The place in the file's value, if the report has it. */
  pointer: readonly string[] | undefined;
  /** The operation, if the report names it. */
  operation: OperationPlace | undefined;
  helpUrl: string | undefined;
}

/** The report of another tool. */
export interface ForeignReport {
  findings: ForeignFinding[];
  /** The results that are no findings, counted by the reason, such as `suppressed`. */
  ignored: ReadonlyMap<string, number>;
  /** Reasons for which findings may be missing, one sentence each. */
  failures: string[];
}
