import type { Document } from "@xmldom/xmldom";
import * as xpathModule from "xpath";
import { countNode, VISITS_MAX } from "./visits.ts";
import type { Visits } from "./visits.ts";

type XPath = typeof xpathModule;

// Node sees xpath as CommonJS with one default export, a bundler as a module with named ones.
const xpath = "default" in xpathModule ? unwrap(xpathModule) : xpathModule;

function unwrap(module: object): XPath {
  return hasDefault(module) ? module.default : xpathModule;
}

function hasDefault(module: object): module is { default: XPath } {
  return "default" in module;
}

/** The visits that are left for the evaluation in progress. Expressions have no field for it. */
let visits: Visits = { left: 0 };
const { applyStep } = xpath.PathExpr;

// Each node that a step looks at counts, whether the step selects it or not.
xpath.PathExpr.applyStep = ({ axis, nodeTest }, context, node) => {
  const matches: typeof nodeTest.matches = (candidate, of) => {
    countNode(visits);
    return nodeTest.matches(candidate, of);
  };
  return applyStep({ axis, nodeTest: { matches } }, context, node);
};

/**
 * Evaluates an expression as XPath 1.0, whose conversions are other ones than those of later versions: node-sets and strings
 * become numbers in comparisons and calculations, and the first node of a set stands for it.
 *
 * @returns nodes, or one string, number or boolean
 * @throws Error for an expression that is not valid in XPath 1.0, EvaluationLimit for one that visits too many nodes
 */
export function evaluateXPath1(query: string, document: Document): unknown[] {
  visits = { left: VISITS_MAX };
  const value = xpath.parse(query).evaluate({
    node: document,
    namespaces: (prefix) => document.documentElement?.lookupNamespaceURI(prefix) ?? undefined,
  });
  if (value.toArray !== undefined) return value.toArray();
  return [primitiveOf(value)];
}

function primitiveOf(value: xpathModule.XPathValue): string | number | boolean {
  const type: unknown = Object.getPrototypeOf(value);
  if (type === xpath.XBoolean.prototype) return value.booleanValue();
  return type === xpath.XNumber.prototype ? value.numberValue() : value.stringValue();
}

/** Why an expression is not valid in XPath 1.0. */
export function xpath1Problem(query: string): string | undefined {
  try {
    xpath.parse(query);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "it can't be parsed";
  }
}
