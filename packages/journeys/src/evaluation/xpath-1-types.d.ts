/** The part of xpath that is used here. Its own declarations bring in the DOM library. */
export interface XPathValue {
  booleanValue(): boolean;
  stringValue(): string;
  numberValue(): number;
  /** Returns the nodes of a node-set in document order. Absent for any other value. */
  toArray?(): unknown[];
}

export interface XPathExpression {
  /** @throws Error */
  evaluate(options: { node: unknown; namespaces: (prefix: string) => string | undefined }): XPathValue;
}

/** @throws Error for an expression that is not valid */
export declare function parse(expression: string): XPathExpression;

/** A step of a path: its axis, and which of the nodes on it are selected. */
export interface Step {
  axis: number;
  nodeTest: { matches: (node: unknown, context: unknown) => boolean };
}

/** The function by which every step of every path is applied may be replaced. */
export declare const PathExpr: {
  applyStep: (step: Step, context: unknown, node: unknown) => unknown[];
};

export declare const XBoolean: { prototype: object };
export declare const XNumber: { prototype: object };
