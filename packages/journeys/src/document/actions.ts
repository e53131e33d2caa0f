import { z } from "zod";
import { Criterion, Selector } from "./criteria.ts";
import { extensible, Json } from "./extensible.ts";

export const Parameter = extensible({
  name: z.string().min(1),
  in: z.enum(["path", "query", "querystring", "header", "cookie", "channel"]).optional(),
  value: z.union([Selector, Json]),
});
export type Parameter = z.infer<typeof Parameter>;

/** Points into `components`. `value` overrides the value of a referenced parameter; other fields are ignored. */
export const Reusable = z.looseObject({ reference: z.string().min(1), value: Json.optional() });
export type Reusable = z.infer<typeof Reusable>;

export const ParameterOrReusable = z.union([Parameter, Reusable]);
export type ParameterOrReusable = z.infer<typeof ParameterOrReusable>;

const actionTarget = {
  name: z.string().min(1),
  workflowId: z.string().min(1).optional(),
  stepId: z.string().min(1).optional(),
  parameters: z.array(ParameterOrReusable).optional(),
  criteria: z.array(Criterion).optional(),
};

export const SuccessAction = extensible({ ...actionTarget, type: z.enum(["end", "goto"]) });
export type SuccessAction = z.infer<typeof SuccessAction>;

export const FailureAction = extensible({
  ...actionTarget,
  type: z.enum(["end", "retry", "goto"]),
  retryAfter: z.number().min(0).optional().describe("Seconds."),
  retryLimit: z.int().min(0).optional(),
});
export type FailureAction = z.infer<typeof FailureAction>;

export const SuccessActionOrReusable = z.union([SuccessAction, Reusable]);
export const FailureActionOrReusable = z.union([FailureAction, Reusable]);

/** True for an object that points into `components`. */
export function isReusable(value: object): value is Reusable {
  return Object.hasOwn(value, "reference");
}
