import type { PgPool } from "@waymark/server/db/pool.ts";
import { type HeldRun, writeJourneyProgress } from "@waymark/server/journey-runs/work/queries.ts";
import { storable } from "@waymark/server/lib/storable.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import type { CheckpointBox } from "./checkpoint-box.ts";
import type { FromRunner, SentStep } from "./runner/messages.ts";

/** The time between two writes, unless a request waits for one. */
const WRITE_EVERY_MS = 250;

type Progress = Extract<FromRunner, { kind: "progress" }>;
type Pending = Omit<Progress, "kind" | "isUrgent">;

export interface ProgressWriter {
  add: (progress: Progress) => void;
  /** Writes at once. Whether nothing is left to be written; what failed is tried again later. */
  flush: () => Promise<boolean>;
  /** Writes no more. Gives the steps that were not written. */
  end: () => Promise<SentStep[]>;
}

/** Writes a run's progress, one statement at a time, with what came meanwhile in the next one. */
// oxlint-disable-next-line max-lines-per-function -- one closure over what is pending
export function createProgressWriter(
  { pool, box, run }: { pool: PgPool; box: CheckpointBox; run: HeldRun },
  on: { saved: (checkpoint: number) => void; lost: () => void; failed: (error: Error) => void },
): ProgressWriter {
  const state: { pending?: Pending; writing?: Promise<void> | undefined } = {};
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;

  async function write(): Promise<void> {
    const now = state.pending;
    if (now === undefined || isEnded) return;
    delete state.pending;
    try {
      const checkpoint = now.checkpoint === undefined ? null : await box.seal(run, now.checkpoint.bytes);
      const isHeld = await writeJourneyProgress(pool, run, { ...now, checkpoint });
      if (!isHeld) return on.lost();
      if (now.checkpoint !== undefined) on.saved(now.checkpoint.number);
    } catch (error) {
      on.failed(toError(error));
      putBack(now);
    }
  }

  /** Returns unwritten progress to the pending. Progress that arrived in the meantime is newer. */
  function putBack(unwritten: Pending): void {
    const newer = state.pending;
    state.pending = { ...unwritten, ...newer, steps: [...unwritten.steps, ...(newer?.steps ?? [])] };
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, WRITE_EVERY_MS);
  }

  async function flush(): Promise<boolean> {
    while (state.writing !== undefined) await state.writing;
    state.writing = write().finally(() => (state.writing = undefined));
    await state.writing;
    if (state.pending !== undefined && !isEnded) schedule();
    return isEnded || state.pending === undefined;
  }

  return {
    add(progress) {
      const { checkpoint = state.pending?.checkpoint } = progress;
      state.pending = {
        steps: [...(state.pending?.steps ?? []), ...progress.steps],
        currentStep: progress.currentStep === null ? null : storable(progress.currentStep),
        ...(checkpoint === undefined ? {} : { checkpoint }),
      };
      schedule();
    },
    flush,
    async end() {
      isEnded = true;
      clearTimeout(timer);
      await state.writing;
      return state.pending?.steps ?? [];
    },
  };
}
