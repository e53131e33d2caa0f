import type { Artifact } from "../compile/artifact-model.ts";
import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { Resumed } from "./resume.ts";
import type { ProgramAction, ProgramWorkflow } from "../program/program.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import type { Scope } from "../expressions/scope.ts";
import type { SourcePlace, StepResult } from "../result/result.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { RunLimits } from "./limits.ts";
import type { RunBudget } from "./run-budget.ts";
import type { RunLog } from "./run-log.ts";
import type { ProgramSecrets } from "../secrets/find-secrets.ts";
import type { SchemaChecker } from "./schema-check.ts";
import type { RunDependencies } from "./transport.ts";

/** An artifact made ready: what many runs of it share. */
export interface PreparedJourney {
  artifact: Artifact;
  /** The digest of the artifact's file, as `fileDigest` gives it; undefined if no file was read. */
  fileDigest: string | undefined;
  evaluator: Evaluator;
  schemas: SchemaChecker;
  /** Which values of the program are secrets. */
  secrets: ProgramSecrets;
  /** The forms that a secret is searched by: the runs of a journey share most of their secrets. */
  secretForms: (secret: string) => ReadonlySet<string>;
  /** The place of a node of the program. */
  placeOf: (pointer: string) => SourcePlace;
  /** Returns the place of a step's criterion, without building a pointer for each that is evaluated. */
  placeOfCriterion: (step: string, index: number) => SourcePlace;
}

export interface RunOptions {
  inputs?: Readonly<Record<string, unknown>>;
  /** Base URLs that replace those of the artifact, by source. */
  servers?: Readonly<Record<string, string>>;
  runId?: string;
  /** Everything random in the run comes of it. The result names it, so that a run can be repeated. */
  seed?: string;
  runner?: "cli" | "cloud";
  limits?: Partial<RunLimits>;
  /** A failed contract check fails the run. */
  strictContract?: boolean;
  /** Follow redirects; without it a 3xx is the answer, which is what most journeys assert. */
  followRedirects?: boolean;
  signal?: AbortSignal;
  onStepStart?: (step: { id: string; phase: "main" | "teardown"; workflow?: string }) => void;
  /** Called when a step has ended; secrets are redacted. */
  onStep?: (result: StepResult) => void;
  /**
   * Called with the state after each step of the outermost workflow; `"leave"` ends the run there, without teardown.
   */
  onCheckpoint?: (checkpoint: Checkpoint) => CheckpointAnswer | Promise<CheckpointAnswer>;
  /** Goes on from a checkpoint of a run of this artifact; `teardown` sends nothing of the main phase any more. */
  resume?: { checkpoint: unknown; only?: "teardown" };
}

/** Where a try ends, which runs a part of a journey and proves nothing. */
export interface Until {
  /** The last step of the outermost workflow that is run. */
  step: string;
  /** The teardown of the outermost workflow is left out. */
  keep: boolean;
  /** Requests are made and not sent. */
  isDry: boolean;
}

export type CheckpointAnswer = "leave" | undefined | void;

/**
 * A run in progress: its fixed values, and three parts that only their own functions change. Functions take one part, or
 * name the few that they use with `Pick`; only those that drive steps and workflows take the whole.
 */
export interface Run {
  readonly id: string;
  readonly prepared: PreparedJourney;
  readonly deps: RunDependencies;
  readonly options: RunOptions;
  /** Undefined in a run of the whole journey. */
  readonly until: Until | undefined;
  /** The journey's evaluator, limited to the time that the run has for evaluations. */
  readonly evaluator: Evaluator;
  readonly resumed: Resumed | undefined;
  readonly seed: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The start of the run, on the monotonic clock. */
  readonly start: number;
  readonly log: RunLog;
  readonly known: KnownSecrets;
  readonly budget: RunBudget;
}

/** A workflow in progress. */
export interface WorkflowRun {
  key: string;
  program: ProgramWorkflow;
  /** Pointers of its steps in the program. */
  pointers: readonly string[];
  /** Absent for the workflow that was asked for. */
  name: string | undefined;
  depth: number;
  scope: MutableScope;
  stepOutputs: Map<string, { outputs: Record<string, unknown> }>;
  /** When each step last ended, as a number that only grows, and how. */
  ended: Map<string, { at: number; passed: boolean; completed: boolean }>;
  started: Set<string>;
}

export type MutableScope = { -readonly [K in keyof Scope]: Scope[K] };

/** The outcome of a step, and where the workflow goes on. */
export type Next =
  | { go: "on" }
  | { go: "step"; step: string }
  | { go: "workflow"; action: ProgramAction }
  | { go: "end"; passed: boolean }
  | { go: "stop"; reason: string };

export type WorkflowStatus = "passed" | "failed" | "error";
