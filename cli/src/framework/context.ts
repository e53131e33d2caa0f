import type { Readable } from "node:stream";
import type { BaseContext } from "clipanion";
import type { Environment } from "../lib/config.ts";
import type { NetworkTimes } from "../http/times.ts";

/** A command's access to the outside, besides files and the network. Tests pass their own. */
export interface CliContext extends BaseContext {
  /** Not there: use `openStdin`. */
  stdin: never;
  /** Standard input. Most commands don't read it, and what Node needs to open it takes 5 ms to load. */
  openStdin: () => Readable;
  env: Environment;
  /** The working directory, which relative paths are relative to. */
  cwd: string;
  times: NetworkTimes;
  /** The file of `--config`. */
  configFile?: string | undefined;
}
