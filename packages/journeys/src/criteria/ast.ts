import type { Expression, SelectorType, Template } from "../expressions/ast.ts";

export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A parsed simple condition. `text` is what a person reads in an explanation. */
export type Condition =
  | { op: "&&" | "||"; left: Condition; right: Condition }
  | { op: "!"; of: Condition }
  | { op: ComparisonOperator; left: Operand; right: Operand }
  | { op: "value"; of: Operand };

export type Operand =
  | { literal: string | number | boolean | null; text: string }
  | { expr: Expression; text: string }
  | { template: Template; text: string }
  | { group: Condition; text: string }
  | { access: Operand; path: string[]; text: string };

/** A compiled criterion. `text` is the condition as it was written. */
export type Criterion =
  | { id?: string; type: "simple"; text: string; condition: Condition }
  | {
      id?: string;
      type: "regex" | "jsonpath" | "xpath";
      text: string;
      context: Expression;
      contextText: string;
      pattern: Template;
      version?: string;
    };

/** What became of a criterion. A criterion that can't be evaluated has failed, and `explanation` says why. */
export interface Verdict {
  status: "passed" | "failed";
  actual: unknown;
  expected: unknown;
  explanation: string;
}

export type { SelectorType };
