import type { Environment } from "./environment.ts";
import { type MeasuredProcess, startMeasured } from "./measured-process.ts";

export interface Baseline {
  process: MeasuredProcess;
  /** Its answer to the call `ready`; a server answers its port. */
  ready: number;
}

/** Starts one of the scripts below `bench/` as a process of its own. It is ready when it answers the call `ready`. */
export async function startBaseline(
  environment: Environment,
  script: string,
  env: Record<string, string>,
): Promise<Baseline> {
  const { logFolder } = environment;
  const isReady = async () => true;
  const process = environment.own(await startMeasured(`bench/${script}`, { env, logFolder, isReady }));
  return { process, ready: await process.call<number>("ready") };
}
