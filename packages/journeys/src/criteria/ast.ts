import { z } from "zod";
import { Expression, Template } from "../expressions/ast.ts";

const ComparisonOperator = z.enum(["==", "!=", "<", "<=", ">", ">="]);
export type ComparisonOperator = z.infer<typeof ComparisonOperator>;

/** A parsed simple condition. `text` is shown in explanations. */
export type Condition = z.infer<typeof Condition>;
export const Condition = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.enum(["&&", "||"]),
    get left() {
      return Condition;
    },
    get right() {
      return Condition;
    },
  }),
  z.strictObject({
    op: z.literal("!"),
    get of() {
      return Condition;
    },
  }),
  z.strictObject({
    op: ComparisonOperator,
    get left() {
      return Operand;
    },
    get right() {
      return Operand;
    },
  }),
  z.strictObject({
    op: z.literal("value"),
    get of() {
      return Operand;
    },
  }),
]);

export type Operand = z.infer<typeof Operand>;
export const Operand = z.union([
  z.strictObject({ literal: z.union([z.string(), z.number(), z.boolean(), z.null()]), text: z.string() }),
  z.strictObject({ expr: Expression, text: z.string() }),
  z.strictObject({ template: Template, text: z.string() }),
  z.strictObject({
    get group() {
      return Condition;
    },
    text: z.string(),
  }),
  z.strictObject({
    get access() {
      return Operand;
    },
    path: z.array(z.string()),
    text: z.string(),
  }),
]);

/** A compiled criterion. `text` is the condition as it was written. */
export const Criterion = z.discriminatedUnion("type", [
  z.strictObject({
    id: z.string().exactOptional(),
    type: z.literal("simple"),
    text: z.string(),
    condition: Condition,
  }),
  z.strictObject({
    id: z.string().exactOptional(),
    type: z.enum(["regex", "jsonpath", "xpath"]),
    text: z.string(),
    context: Expression,
    contextText: z.string(),
    pattern: Template,
    version: z.string().exactOptional(),
  }),
]);
export type Criterion = z.infer<typeof Criterion>;

/**
 * The outcome of a criterion. One that can't be evaluated has failed. One that a limit ended is an error, because its outcome
 * is unknown. `explanation` says why.
 */
export interface Verdict {
  status: "passed" | "failed" | "error";
  actual: unknown;
  expected: unknown;
  explanation: string;
}
