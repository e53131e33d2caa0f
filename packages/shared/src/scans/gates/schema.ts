import { z } from "zod";
import { boundedArray, IsoDateTime, label, Uuid } from "../../lib/schema.ts";
import { GATE_LIMITS } from "./limits.ts";

const GateName = label({ min: 1, max: GATE_LIMITS.gateMax }).meta({
  description: "The gate with its condition, as its client names it, such as `--fail-on high`.",
});

const JudgedGate = z
  .strictObject({
    gate: GateName,
    passed: z.boolean(),
    causes: boundedArray(label({ min: 1, max: GATE_LIMITS.causeMax }), GATE_LIMITS.causesMax).meta({
      description: "The first causes of a failure, each in a line.",
    }),
    causeCount: z
      .int()
      .min(0)
      .max(GATE_LIMITS.causeCountMax)
      .meta({ description: "The number of all causes." }),
  })
  .check((ctx) => {
    const { passed, causes, causeCount } = ctx.value;
    const refuse = (message: string) =>
      ctx.issues.push({ code: "custom", path: ["causeCount"], message, input: causeCount });
    if (passed && causeCount > 0) refuse("must be 0 for a gate that passed");
    if (causeCount < causes.length) refuse("must not be less than the number of causes");
  })
  .meta({ id: "JudgedGate" });

/** The verdict of a run's gates, as a client sends it. */
export const ScanGatesPayload = z
  .strictObject({ gates: boundedArray(JudgedGate, GATE_LIMITS.gatesMax) })
  .check((ctx) => {
    const { gates } = ctx.value;
    if (gates.length === 0)
      ctx.issues.push({ code: "custom", path: ["gates"], message: "must not be empty", input: gates });
    gates.forEach(({ gate }, index) => {
      if (gates.findIndex((other) => other.gate === gate) === index) return;
      ctx.issues.push({
        code: "custom",
        path: ["gates", index, "gate"],
        message: "occurs twice",
        input: gate,
      });
    });
  })
  .meta({ id: "ScanGatesPayload" });
export type ScanGatesPayload = z.infer<typeof ScanGatesPayload>;

/** The verdict of a run's gates, as it is stored. */
export const ScanGates = z
  .object({
    gates: z.array(
      z.object({ gate: z.string(), passed: z.boolean(), causes: z.array(z.string()), causeCount: z.int() }),
    ),
    judgedByKeyId: Uuid,
    judgedAt: IsoDateTime.meta({ description: "When the verdict was stored." }),
  })
  .meta({ id: "ScanGates" });
export type ScanGates = z.infer<typeof ScanGates>;

export const ScanGatesOfRun = z
  .object({
    scanRunId: Uuid,
    verdict: ScanGates.nullable().meta({ description: "Null if no client has sent a verdict." }),
  })
  .meta({ id: "ScanGatesOfRun" });
export type ScanGatesOfRun = z.infer<typeof ScanGatesOfRun>;

/** A gate of a run, without what failed. */
export const RunGate = z
  .object({ gate: z.string(), passed: z.boolean(), causeCount: z.int() })
  .meta({ id: "RunGate" });
export type RunGate = z.infer<typeof RunGate>;
