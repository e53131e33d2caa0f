/** The part of a DOM that is read here: fontoxpath gives its syntax tree as XML elements. */
export interface SyntaxNode {
  nodeType: number;
  localName?: string | null;
  textContent: string | null;
  firstChild: SyntaxNode | null;
  nextSibling: SyntaxNode | null;
}

/** What an expression may cost: visits grow as the document's size to the power of `exponent`. */
export interface XPathCost {
  exponent: number;
  problem?: string;
}

const FORBIDDEN_ELEMENTS = new Map([
  ["inlineFunctionExpr", "functions of its own"],
  ["namedFunctionRef", "references to functions"],
  ["dynamicFunctionInvocationExpr", "calls of a function value"],
]);
/** What these read is no part of the response, or their result may be far larger than it. */
const FORBIDDEN_FUNCTIONS =
  /^(?:replace|analyze-string|doc|doc-available|collection|uri-collection|json-doc|unparsed-text.*|environment-variable.*|available-environment-variables|evaluate|transform|load-xquery-module|parse-xml.*|parse-json|put|trace)$/;
const GROWING_FUNCTIONS = new Set(["concat", "string-join"]);
const WIDE_AXES =
  /^(?:descendant|descendant-or-self|following|following-sibling|preceding|preceding-sibling|ancestor|ancestor-or-self)$/;
const RANGE_MAX = 10_000;
const GROWING_ARGUMENTS_MAX = 12;
const SEQUENCE_ITEMS_MAX = 64;
/** A variable may stand for a sequence that is listed again and again, each time twice as long. */
const ITEMS_WITH_LET_MAX = 16;

interface Tally {
  exponent: number;
  growing: number;
  items: number;
  hasLet: boolean;
  problem?: string;
}

/** Estimates what an XPath expression may cost and finds what it must not contain. */
export function xpathCost(root: SyntaxNode): XPathCost {
  const tally: Tally = { exponent: 0, growing: 0, items: 0, hasLet: false };
  visit(root, tally);
  if (tally.growing > GROWING_ARGUMENTS_MAX) {
    tally.problem ??= `it joins more than ${GROWING_ARGUMENTS_MAX} strings`;
  }
  const itemsMax = tally.hasLet ? ITEMS_WITH_LET_MAX : SEQUENCE_ITEMS_MAX;
  if (tally.items > itemsMax) tally.problem ??= `it lists more than ${itemsMax} items`;
  const exponent = Math.max(1, tally.exponent);
  return tally.problem === undefined ? { exponent } : { exponent, problem: tally.problem };
}

function visit(node: SyntaxNode, tally: Tally): void {
  inspect(node, tally);
  for (const child of elements(node)) visit(child, tally);
}

function inspect(node: SyntaxNode, tally: Tally): void {
  const name = node.localName ?? "";
  const forbidden = FORBIDDEN_ELEMENTS.get(name);
  if (forbidden !== undefined) tally.problem ??= `${forbidden} can't be used in a condition`;
  if (name === "forClauseItem" || name === "quantifiedExprInClause") tally.exponent++;
  if (name === "simpleMapExpr") tally.exponent += elements(node).length - 1;
  if (name === "letClause") tally.hasLet = true;
  if (name === "xpathAxis" && WIDE_AXES.test(node.textContent ?? "")) tally.exponent++;
  if (name === "rangeSequenceExpr") inspectRange(node, tally);
  if (name === "sequenceExpr") tally.items += elements(node).length;
  if (name === "stringConcatenateOp") tally.growing += 2;
  if (name === "functionCallExpr") inspectCall(node, tally);
}

function inspectCall(node: SyntaxNode, tally: Tally): void {
  const parts = elements(node);
  const name = parts.find((part) => part.localName === "functionName")?.textContent ?? "";
  if (FORBIDDEN_FUNCTIONS.test(name)) tally.problem ??= `the function ${name}() can't be used in a condition`;
  if (GROWING_FUNCTIONS.has(name)) {
    const given = parts.find((part) => part.localName === "arguments");
    tally.growing += given === undefined ? 0 : elements(given).length;
  }
}

function inspectRange(node: SyntaxNode, tally: Tally): void {
  const bounds = elements(node).map((bound) => {
    const constant = elements(bound)[0];
    return constant?.localName === "integerConstantExpr" ? Number(constant.textContent) : Number.NaN;
  });
  const [from = Number.NaN, to = Number.NaN] = bounds;
  if (!(to - from <= RANGE_MAX)) tally.problem ??= `"to" needs two numbers at most ${RANGE_MAX} apart`;
}

function elements(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === 1) found.push(child);
  }
  return found;
}
