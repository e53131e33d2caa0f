import type { Operations } from "@waymark/journeys/evaluation/evaluator.ts";

/** A request to the sandbox's process. */
export interface Task {
  name: keyof Operations;
  args: readonly unknown[];
}

/** Its messages: first that it has begun, and the processor time that the process had used by then; then the result, and what it took. */
export type Answer =
  | { kind: "begun"; processorMs: number }
  | { kind: "done"; value: unknown; ms: number }
  | { kind: "unusable" | "limit" | "fault"; message: string; ms: number };
