import type { JudgedComparison } from "./judged-comparison.ts";

/** The reasons why a scan was not compared with its service's current run. */
export type NotComparedReason =
  | "no_base"
  | "no_base_description"
  | "no_permission"
  | "no_route"
  | "unavailable"
  | "failed";

/** The comparison of a scan with its service's current run. */
export type ContractCheck =
  | {
      status: "compared";
      against: string;
      comparison: JudgedComparison;
      /** Says what else is to be known, such as that the approvals could not be read. */
      note: string | undefined;
    }
  | {
      status: "not_compared";
      /** The current run; null if there is none, or none that can be read. */
      against: string | null;
      reason: NotComparedReason;
      /** Says in sentences why, and what to do. */
      message: string;
    };
