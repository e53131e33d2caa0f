import type { Operations } from "@waymark/journeys/evaluation/evaluator.ts";

/** What the sandbox's process is asked for. */
export interface Task {
  name: keyof Operations;
  args: readonly unknown[];
}

/** What it answers: first that it has begun, then what came of it. */
export type Answer =
  | { kind: "begun" }
  | { kind: "done"; value: unknown }
  | { kind: "unusable" | "limit" | "fault"; message: string };
