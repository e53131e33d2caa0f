import type { ExitCode } from "../../lib/cli-error.ts";

/** The exit codes of the journey commands: the numbers of all waymark commands, with their meaning here. */
export const JOURNEY_EXIT = {
  passed: 0,
  /** The journey or a gate failed. */
  failed: 1,
  /** The command line is wrong, or a document does not compile. */
  document: 2,
  /** A secret or an input is missing or not valid. */
  input: 3,
  /** The target can't be reached. */
  unreachable: 4,
  /** A limit of the run ended it. */
  aborted: 5,
} as const satisfies Record<string, ExitCode>;
