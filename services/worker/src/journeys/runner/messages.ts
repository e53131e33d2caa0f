import type { Checkpoint } from "@waymark/journeys/checkpoint/checkpoint.ts";
import type { EgressRules } from "@waymark/journey-transport/egress.ts";
import type { RunLimits } from "@waymark/journeys/run/limits.ts";
import type { OpenedSecret } from "@waymark/server/environments/secrets/secrets.ts";
import type { RunEnding } from "@waymark/server/journey-runs/ending/run-ending.ts";
import type { StepRow as SentStep } from "@waymark/server/journey-runs/ending/step-rows.ts";

export type { RunEnding, SentStep };

/** One run, with all that it needs: its process reaches neither the database nor the environment. */
export interface RunTask {
  runId: string;
  /** The text of the artifact's file, which this server has built. */
  artifact: string;
  inputs: Record<string, unknown>;
  /** The secrets by name. A value is sent to these hosts only. */
  secrets: Record<string, OpenedSecret>;
  seed: string;
  strictContract: boolean;
  storesBodies: boolean;
  egress: EgressRules;
  limits: Partial<RunLimits>;
  /** Milliseconds on the monotonic clock of the machine. */
  leaseEndsAt: number;
  isCancelled: boolean;
  /** Nothing of the main phase is sent: the run was lost in it. */
  onlyTeardown: boolean;
  /** Where the run goes on: a packed state, and the steps that were written. */
  resume?: { checkpoint: Uint8Array; steps: string[] };
}

/** The state that is stored, encrypted, after a step of the outermost workflow. The steps are in their own rows. */
export interface StoredState {
  checkpoint: Omit<Checkpoint, "steps">;
  /** The step in doubt of a run that was lost. It is kept in case the teardown is lost, too. */
  inDoubtStep?: string;
}

export type ToRunner =
  | { kind: "run"; task: RunTask }
  | { kind: "lease"; endsAt: number }
  | { kind: "cancel" }
  /** End at the next checkpoint: another worker goes on. */
  | { kind: "leave" }
  /** Everything that was sent up to this checkpoint is stored. */
  | { kind: "saved"; checkpoint: number };

export type FromRunner =
  | { kind: "ready" }
  | { kind: "beat" }
  | {
      kind: "progress";
      steps: SentStep[];
      currentStep: string | null;
      /** Its bytes are a packed state. */
      checkpoint?: { number: number; bytes: Uint8Array };
      /** The next request changes something: all that was sent must be stored first. */
      isUrgent: boolean;
    }
  | { kind: "left" }
  /** `memoryBytes`: what the process needs after the run. `givesWay`: it runs only when no other one wants the processor. */
  | { kind: "ended"; ending: RunEnding; memoryBytes: number; givesWay: boolean }
  | { kind: "fault"; message: string };

/** Milliseconds of the machine's monotonic clock, which its processes share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
