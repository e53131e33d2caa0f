import type { BaseContext } from "clipanion";
import type { Environment } from "./config.ts";
import type { NetworkTimes } from "./http/times.ts";

/** What a command may touch of the outside besides files and the network; tests pass their own. */
export interface CliContext extends BaseContext {
  env: Environment;
  /** What relative paths are relative to. */
  cwd: string;
  times: NetworkTimes;
}
