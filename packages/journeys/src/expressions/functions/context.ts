import type { Expression } from "../ast.ts";

/** The values that functions have besides their arguments. */
export interface FunctionContext {
  /** Numbers in [0, 1) for a call, which are the same each time within an attempt. */
  random: (call: Expression) => () => number;
  /** Milliseconds since 1970, the same within an attempt. */
  now: () => number;
  /** The body of the request that is built, as it is sent; undefined at any other time. */
  readonly requestBody?: string | Uint8Array | undefined;
  /** Counts the characters that functions read in an attempt. @throws EvaluationLimit beyond the limit */
  countRead: (characters: number) => void;
  /**
   * Makes the result as secret as the arguments. `isKept`: a secret among these is in the result as it is, and is found there unless
   * it is escaped too often. @throws EvaluationLimit if functions have made too much of secrets
   */
  made: (args: readonly unknown[], result: unknown, options: { isKept: boolean }) => void;
}
