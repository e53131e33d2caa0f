import type { AcceptanceResult, Coverage } from "@waymark/journeys/result/result.ts";
import { z } from "zod";

const Operation = z.object({
  source: z.string(),
  operationId: z.string().optional(),
  method: z.string(),
  path: z.string(),
  calls: z.number(),
  statuses: z.array(z.number()),
  asserted: z.boolean(),
});

/** The parts of a result that are aggregated. */
export const CoveredResult = z.object({
  schema: z.literal("journey-result/1"),
  status: z.string(),
  journey: z.object({ id: z.string(), title: z.string() }),
  acceptance: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      severity: z.string(),
      status: z.enum(["proven", "failed", "notRun", "unproven"]),
      by: z.array(z.string()),
    }),
  ),
  coverage: z.object({
    operations: z.array(Operation),
    notInInventory: z.array(z.object({ method: z.string(), url: z.string(), calls: z.number() })),
  }),
});

export interface CoveredResult {
  status: string;
  journey: { id: string; title: string };
  acceptance: AcceptanceResult[];
  coverage: { operations: z.infer<typeof Operation>[]; notInInventory: Coverage["notInInventory"] };
}
