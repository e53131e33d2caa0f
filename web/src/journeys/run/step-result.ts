import { SharedExchange } from "@waymark/shared/journey-runs/links/schema.ts";
import { z } from "zod";

/** A request with its response, if one arrived. */
export type Exchange = z.infer<typeof SharedExchange>;

/** The members of a step's result that this page shows. Others are ignored, so newer servers can add some. */
export const StepResult = z.object({
  id: z.string(),
  phase: z.enum(["main", "teardown"]),
  status: z.enum(["passed", "failed", "error", "skipped", "timedOut"]),
  workflow: z.string().optional(),
  reason: z.string().optional(),
  notes: z.array(z.string()).default([]),
  handled: z.boolean().default(false),
  operation: z.object({ method: z.string(), path: z.string() }).optional(),
  external: z.object({ method: z.string(), url: z.string() }).optional(),
  calls: z.string().optional(),
  ms: z.number(),
  attempts: z.array(
    z.object({ n: z.number(), ms: z.number(), outcome: z.string(), because: z.string().optional() }),
  ),
  assertions: z.array(
    z.object({
      id: z.string(),
      condition: z.string(),
      status: z.enum(["passed", "failed", "error", "notRun"]),
      actual: z.unknown().optional(),
      expected: z.unknown().optional(),
      explanation: z.string().optional(),
      source: z.object({ file: z.string(), line: z.number() }),
    }),
  ),
  contract: z.array(
    z.object({
      check: z.string(),
      status: z.enum(["passed", "failed", "skipped"]),
      pointer: z.string().optional(),
      message: z.string().optional(),
    }),
  ),
  outputs: z.record(z.string(), z.unknown()),
  evidence: SharedExchange.extend({
    earlier: z.array(SharedExchange.extend({ attempt: z.number() })).default([]),
  }).optional(),
});
export type StepResult = z.infer<typeof StepResult>;

/** True if the step failed and none of its actions handled the failure. */
export function isWrong({ status, handled }: StepResult): boolean {
  return !handled && status !== "passed" && status !== "skipped";
}

export const RunStep = z.object({ seq: z.int(), result: StepResult });
export type RunStep = z.infer<typeof RunStep>;

/** The members of a whole result that this page shows, besides its steps. */
export const RunResult = z.object({
  ms: z.number(),
  acceptance: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      severity: z.string(),
      status: z.enum(["proven", "failed", "notRun", "unproven"]),
      by: z.array(z.string()),
    }),
  ),
  teardown: z.object({ status: z.enum(["passed", "failed", "none"]) }),
});
export type RunResult = z.infer<typeof RunResult>;
