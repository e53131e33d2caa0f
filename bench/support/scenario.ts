import type { Environment } from "./environment.ts";
import type { ScenarioResult } from "./report.ts";

export interface ScenarioOptions {
  rounds: number;
  /** Another checkout to compare with. */
  before?: string | undefined;
}

/** One thing that is measured with its baselines. Processes that it starts end with the environment. */
export type Scenario = (environment: Environment, options: ScenarioOptions) => Promise<ScenarioResult>;
