import { z } from "zod";
import { FUNCTION_NAMES } from "./functions/declarations.ts";

const MessageSide = z.enum(["request", "response", "message"]);
export type MessageSide = z.infer<typeof MessageSide>;

const ComponentType = z.enum(["parameters", "successActions", "failureActions", "inputs"]);
export type ComponentType = z.infer<typeof ComponentType>;

const pointer = z.array(z.string()).exactOptional();

/**
 * A parsed runtime expression (Arazzo 1.1, Runtime Expressions). Plain JSON, because it is part of the artifact: the
 * runner never parses an expression's text. `pointer` holds decoded reference tokens (RFC 6901).
 */
export const Expression = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["url", "method", "statusCode", "self"]) }),
  z.strictObject({ kind: z.literal("header"), of: MessageSide, name: z.string() }),
  z.strictObject({ kind: z.enum(["query", "path"]), of: MessageSide, name: z.string() }),
  z.strictObject({ kind: z.literal("body"), of: MessageSide, pointer }),
  z.strictObject({ kind: z.enum(["inputs", "outputs", "vars"]), name: z.string(), pointer }),
  z.strictObject({ kind: z.literal("step"), step: z.string(), output: z.string(), pointer }),
  z.strictObject({
    kind: z.literal("workflow"),
    workflow: z.string(),
    field: z.enum(["inputs", "outputs"]),
    name: z.string(),
    pointer,
  }),
  z.strictObject({ kind: z.literal("source"), source: z.string(), reference: z.string() }),
  z.strictObject({ kind: z.literal("component"), type: ComponentType, name: z.string() }),
  z.strictObject({
    kind: z.literal("call"),
    name: z.enum(FUNCTION_NAMES),
    get args() {
      return z.array(CallArgument);
    },
  }),
]);
export type Expression = z.infer<typeof Expression>;

/** An argument of a function. */
export type CallArgument = z.infer<typeof CallArgument>;
export const CallArgument = z.union([
  z.strictObject({ literal: z.union([z.string(), z.number(), z.boolean(), z.null()]) }),
  Expression,
]);

/** A string with embedded expressions: literal text and expressions in turn. */
export const Template = z.array(z.union([z.string(), Expression]));
export type Template = z.infer<typeof Template>;

export const SelectorType = z.strictObject({
  type: z.enum(["jsonpath", "xpath", "jsonpointer"]),
  version: z.string().exactOptional(),
});
export type SelectorType = z.infer<typeof SelectorType>;

/** An Arazzo 1.1 Selector Object: a selector applied to what `context` evaluates to. */
const Selector = z.strictObject({ context: Expression, selector: Template, type: SelectorType });
export type Selector = z.infer<typeof Selector>;

/** A value of a document with every expression in it parsed. Constants are kept as `{const}`. */
export type ValueNode = z.infer<typeof ValueNode>;
export const ValueNode = z.union([
  z.strictObject({ const: z.unknown() }),
  z.strictObject({ expr: Expression }),
  z.strictObject({ template: Template }),
  /** JSON text with expressions in it, sent as it is written. */
  z.strictObject({ json: Template }),
  /** Members in the author's order; `keys` has the names that are templates, by their text. */
  z.strictObject({
    get object() {
      return z.record(z.string(), ValueNode);
    },
    keys: z.record(z.string(), Template).exactOptional(),
  }),
  z.strictObject({
    get array() {
      return z.array(ValueNode);
    },
  }),
  z.strictObject({ selector: Selector }),
]);

/** Why a text is not a runtime expression, and the offset of the fault in it (from 0). */
export interface ExpressionProblem {
  message: string;
  offset: number;
}

export type ParseResult<T> = { ok: true; value: T } | { ok: false; problem: ExpressionProblem };
