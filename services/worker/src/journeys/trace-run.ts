import type { HeldRun } from "@waymark/server/journey-runs/work/queries.ts";
import type { TraceSpan, Tracing } from "@waymark/server/observability/tracing.ts";
import type { FromRunner } from "./runner/messages.ts";

type Progress = Extract<FromRunner, { kind: "progress" }>;

/** The spans of one attempt to carry out a run: its own, in the trace of the request that started it, and one for each step. */
export interface RunTrace {
  /** Begins and ends steps as the process of the run tells of them. */
  progress: (progress: Pick<Progress, "currentStep" | "steps">) => void;
  /** Says how the attempt ended. */
  ended: (status: string, errorCode?: string) => void;
  /** Sends what is still open. */
  close: () => void;
}

const UNTRACED: RunTrace = { progress: () => undefined, ended: () => undefined, close: () => undefined };

/** @param parent of the request that started the run; null if that was not traced */
export function traceRun(
  tracing: Tracing | undefined,
  { runId, attempt }: HeldRun,
  parent: string | null,
): RunTrace {
  if (tracing === undefined || parent === null) return UNTRACED;
  const run = tracing.start("run journey", {
    kind: "consumer",
    parent,
    attributes: { "waymark.journey_run_id": runId, "waymark.attempt": attempt },
  });
  // The innermost last: a step may call a workflow, whose steps run within it.
  const open: { id: string; span: TraceSpan }[] = [];
  const begin = (id: string) => {
    const span = tracing.within(open.at(-1)?.span ?? run, () =>
      tracing.start("journey step", { kind: "internal", attributes: { "waymark.step_id": id } }),
    );
    open.push({ id, span });
  };
  return {
    progress({ currentStep, steps }) {
      for (const { stepId, status, phase } of steps) {
        const at = open.findLastIndex(({ id }) => id === stepId);
        // A step that was skipped never began.
        if (at === -1) continue;
        const [ended] = open.splice(at, 1);
        ended?.span.set({ "waymark.step_status": status, "waymark.phase": phase });
        if (status !== "passed" && status !== "skipped") ended?.span.fail(status);
        ended?.span.end();
      }
      if (currentStep !== null) begin(currentStep);
    },
    ended(status, errorCode) {
      run.set({ "waymark.journey_run_status": status });
      if (errorCode !== undefined) run.fail(errorCode);
    },
    close() {
      for (const { span } of [...open.splice(0).toReversed(), { span: run }]) span.end();
    },
  };
}
