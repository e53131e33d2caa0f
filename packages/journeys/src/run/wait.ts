import { RunAborted, timeIsUp } from "./limits.ts";
import { withinTime } from "./send.ts";
import type { Run } from "./state.ts";

/** Lets time pass, but not past the end of the run. @throws RunAborted */
export async function wait(run: Pick<Run, "budget" | "deps" | "options">, ms: number): Promise<void> {
  if (ms <= 0) return;
  const left = run.budget.deadline - run.deps.clock.monotonic();
  const outcome = await withinTime(run, Math.min(ms, Math.max(0, left)), never);
  if (outcome.kind === "cancelled") throw new RunAborted("cancelled", "The run was cancelled.");
  if (ms > left) throw timeIsUp(run.budget);
}

function never(): Promise<never> {
  return new Promise(() => {});
}
