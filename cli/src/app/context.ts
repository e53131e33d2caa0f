import type { BaseContext } from "clipanion";
import type { Environment } from "../config.ts";

/** What a command may touch of the outside besides files and the network; tests pass their own. */
export interface CliContext extends BaseContext {
  env: Environment;
}
