import type { EvaluationBudget } from "./budget.ts";
import type { CheckableSchema } from "./schema-cost.ts";
import type { SchemaFaults } from "./schema-engine.ts";

/** Languages of patterns, which an engine evaluates. */
export type PatternType = "regex" | "jsonpath" | "xpath";

/** Evaluations of a document's text on a value. Their duration can't be known in advance. */
export interface Operations {
  testRegex: (pattern: string, text: string) => boolean;
  selectJsonPath: (query: string, value: unknown, version?: string) => unknown[];
  /** The places that a query selects, each as keys from the root. */
  locateJsonPath: (query: string, value: unknown, version?: string) => (string | number)[][];
  /** The effective boolean value and what was selected. */
  testXPath: (query: string, xml: unknown, version?: string) => { passed: boolean; selected: unknown };
  /** The text of the first thing selected, undefined when nothing is. */
  selectXPath: (query: string, xml: unknown, version?: string) => unknown;
  /** The XML with the text of every selected node replaced. */
  replaceXPath: (query: string, xml: string, value: string, version?: string) => string;
  checkSchema: (schema: CheckableSchema, value: unknown) => SchemaFaults;
  /** Why a pattern can't be used, or undefined. */
  findProblem: (type: PatternType, text: string, version?: string) => string | undefined;
}

/**
 * Runs operations, in this process or in another one.
 *
 * @throws EngineError for a text that can't be applied, EvaluationLimit if a limit ended the evaluation
 */
export type Evaluator = {
  [Name in keyof Operations]: (
    ...args: Parameters<Operations[Name]>
  ) => Promise<ReturnType<Operations[Name]>>;
} & {
  /** Returns an evaluator for one run or one compilation, whose evaluations take their time out of a budget. */
  within: (budget: EvaluationBudget) => Evaluator;
};
