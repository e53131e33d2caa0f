import type { Answer, Inclusion } from "../patterns/pattern-sets.ts";
import type { Conjunction } from "../read/node.ts";
import type { Mode } from "./pair-result.ts";
import type { Shape } from "./shape.ts";
import type { VisibleProperties } from "./visibility.ts";

/** The alternatives of a schema, and why they are not all of them. */
export interface Expansion {
  shapes: readonly Shape[];
  /** The alternatives of each `oneOf`, of which exactly one must match. */
  exclusive: readonly (readonly Conjunction[])[];
  /** Why the shapes are not all alternatives. */
  undecided: string | undefined;
}

/** The work of one comparison, with its limits. */
export interface SchemaContext {
  /** Returns the alternatives of a conjunction, each as one shape. */
  expand: (conjunction: Conjunction) => Expansion;
  subsets: Map<string, Answer>;
  /** The fixed values of required properties, by name. */
  fixed: WeakMap<Shape, ReadonlyMap<string, ReadonlySet<string>>>;
  /** The properties of shapes as each direction has them. */
  visible: Record<Mode, WeakMap<Shape, VisibleProperties>>;
  matchesPattern: (pattern: string, text: string) => boolean | undefined;
  includesPattern: (inner: string, outer: string) => Inclusion;
  /** Returns a short text that matches, of at least this length; undefined if none was found. */
  sampleOf: (pattern: string, lengthMin: number) => string | undefined;
  /** Counts down; at zero, nothing more is decided. */
  steps: number;
}

/** The work exceeds the limit. */
export class BudgetError extends Error {}

/** Counts work. @throws BudgetError */
export function spend(context: SchemaContext, steps = 1): void {
  context.steps -= steps;
  if (context.steps < 0) throw new BudgetError("The comparison needs more steps than its limit.");
}
