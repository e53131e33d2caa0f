import { DOMParser, XMLSerializer } from "@xmldom/xmldom";
import type { Attr, Document, Element, Node } from "@xmldom/xmldom";
import * as fontoxpathModule from "fontoxpath";
import { boundedCache } from "./bounded-cache.ts";
import { EngineError } from "../expressions/engine-error.ts";
import { countingDom } from "./xpath-dom.ts";
import { registerFunctions, resolveFunction } from "./xpath-functions.ts";
import { evaluateXPath1, xpath1Problem } from "./xpath-1.ts";
import { guardDivisions } from "./xpath-division.ts";
import { newerThan } from "./xpath-versions.ts";

const XPATH_1 = "xpath-10";
const QUERY_LENGTH_MAX = 2000;
const XML_LENGTH_MAX = 1024 * 1024;

export interface XPathEngine {
  /** The effective boolean value and what was selected. @throws EngineError */
  test: (query: string, xml: unknown, version?: string) => { passed: boolean; selected: unknown };
  /** The text of the first thing selected, undefined when nothing is. @throws EngineError */
  selectText: (query: string, xml: unknown, version?: string) => unknown;
  /** The XML with the text of every selected node replaced. @throws EngineError */
  replace: (query: string, xml: string, value: string, version?: string) => string;
  problem: (query: string, version?: string) => string | undefined;
}

type FontoXPath = typeof fontoxpathModule;

// Node sees fontoxpath as CommonJS with one default export, a bundler as a module with named ones.
const fontoxpath = unwrap(fontoxpathModule);

function unwrap(module: FontoXPath): FontoXPath {
  return hasDefault(module) ? module.default : module;
}

function hasDefault(module: object): module is { default: FontoXPath } {
  return "default" in module;
}

/** XPath 3.1. The engine has no function that reads anything but the document. */
export function createXPathEngine(): XPathEngine {
  registerFunctions(fontoxpath.registerCustomXPathFunction);
  const compiled = boundedCache(200, (key) => {
    const [version, query] = split(key);
    return version === XPATH_1 ? compile1(query) : compile(query, version);
  });
  const inVersion = (query: string, version = "") => compiled(`${version} ${query}`);
  const select = (query: string, xml: unknown, version: string | undefined) => {
    const entry = inVersion(query, version);
    if ("problem" in entry) throw new EngineError(entry.problem);
    const document = parseXml(xml);
    return { document, results: version === XPATH_1 ? run1(query, document) : run(entry.query, document) };
  };
  return {
    test: (query, xml, version) => {
      const { results } = select(query, xml, version);
      return { passed: effectiveBoolean(results), selected: present(results) };
    },
    selectText: (query, xml, version) => {
      const [first] = select(query, xml, version).results;
      return isNode(first) ? (first.textContent ?? "") : first;
    },
    replace: (query, xml, value, version) => {
      const { document, results } = select(query, xml, version);
      const nodes = results.filter(isNode);
      if (nodes.length === 0) throw new EngineError("there is nothing at this place of the payload");
      for (const node of nodes) setText(node, document, value);
      return new XMLSerializer().serializeToString(document);
    },
    problem: (query, version) => {
      const entry = inVersion(query, version);
      return "problem" in entry ? entry.problem : undefined;
    },
  };
}

/** The version and the query of a key. */
function split(key: string): [string, string] {
  const space = key.indexOf(" ");
  return [key.slice(0, space), key.slice(space + 1)];
}

/** An expression as the engine takes it, or the reason why it can't be used. */
type Compiled = { query: string | Element } | { problem: string };

function compile(query: string, version: string): Compiled {
  if (query.length > QUERY_LENGTH_MAX) return tooLong();
  try {
    const parsed = parseScript(query);
    const newer = newerThan(version, parsed);
    if (newer !== undefined)
      return { problem: `the XPath expression is not valid in this version: ${newer}` };
    // The engine keeps what it made of a text, but not of a tree.
    return { query: guardDivisions(parsed, parseScript) ? parsed : query };
  } catch (error) {
    return { problem: `the XPath expression is not valid: ${reasonOf(error)}` };
  }
}

function parseScript(query: string): Element {
  return fontoxpath.parseScript(query, { language: LANGUAGE }, parseXml("<x/>"));
}

function compile1(query: string): Compiled {
  if (query.length > QUERY_LENGTH_MAX) return tooLong();
  const problem = xpath1Problem(query);
  return problem === undefined ? { query } : { problem: `the XPath 1.0 expression is not valid: ${problem}` };
}

function tooLong(): Compiled {
  return { problem: `the XPath expression is longer than ${QUERY_LENGTH_MAX} characters` };
}

function run1(query: string, document: Document): unknown[] {
  try {
    return evaluateXPath1(query, document);
  } catch (error) {
    throw failure(error);
  }
}

const LANGUAGE = fontoxpath.evaluateXPath.XPATH_3_1_LANGUAGE;

function run(query: string | Element, document: Document): unknown[] {
  try {
    const results: unknown = fontoxpath.evaluateXPath(
      query,
      document,
      countingDom(),
      {},
      fontoxpath.evaluateXPath.ALL_RESULTS_TYPE,
      {
        language: LANGUAGE,
        // The function trace() would write to the terminal.
        logger: { trace: () => {} },
        namespaceResolver: (prefix: string) =>
          prefix === "" ? null : (document.documentElement?.lookupNamespaceURI(prefix) ?? null),
        functionNameResolver: resolveFunction,
      },
    );
    return Array.isArray(results) ? results : [results];
  } catch (error) {
    throw failure(error);
  }
}

function failure(error: unknown): Error {
  if (error instanceof EngineError || error instanceof RangeError) return error;
  return new EngineError(`the XPath expression can't be evaluated: ${reasonOf(error)}`, { cause: error });
}

function parseXml(xml: unknown): Document {
  if (typeof xml !== "string") throw new EngineError("the context is not XML");
  if (xml.length > XML_LENGTH_MAX)
    throw new EngineError(`the XML is longer than ${XML_LENGTH_MAX} characters`);
  // Only entities can make a small document expand to a large one.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new EngineError("XML with a document type is not read");
  try {
    return new DOMParser({ onError: refuse }).parseFromString(xml, "text/xml");
  } catch (error) {
    throw new EngineError(`the context is not well-formed XML: ${reasonOf(error)}`);
  }
}

function refuse(level: string, message: string): void {
  if (level !== "warning") throw new Error(message);
}

/** XPath 3.1, 2.4.3: the effective boolean value. */
function effectiveBoolean(results: unknown[]): boolean {
  const [first] = results;
  if (results.length === 0) return false;
  if (isNode(first)) return true;
  if (results.length > 1) throw new EngineError("the XPath expression gives several values, not one");
  if (typeof first === "number") return first !== 0 && !Number.isNaN(first);
  return first !== false && first !== "" && first !== null;
}

function present(results: unknown[]): unknown {
  const shown = results.slice(0, 20).map((item) => (isNode(item) ? item.textContent : item));
  return shown.length === 1 ? shown[0] : shown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "nodeType" in value;
}

function isAttribute(node: Node): node is Attr {
  return node.nodeType === 2;
}

function setText(node: Node, document: Document, value: string): void {
  if (isAttribute(node)) {
    // The serializer doesn't write the node's own value.
    node.ownerElement?.setAttributeNS(node.namespaceURI, node.nodeName, value);
    return;
  }
  if (node.nodeType !== 1) {
    node.nodeValue = value;
    return;
  }
  while (node.firstChild !== null) node.removeChild(node.firstChild);
  node.appendChild(document.createTextNode(value));
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").slice(0, 300);
}
