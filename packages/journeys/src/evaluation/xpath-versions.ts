import type { Element } from "@xmldom/xmldom";

/** The additions of a version of XPath: elements of the parsed expression, functions, and prefixes of functions. */
interface Additions {
  syntax: ReadonlySet<string>;
  functions: ReadonlySet<string>;
  prefixes: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const SINCE: Readonly<Record<string, Additions>> = {
  "3.0": {
    syntax: words(
      "letClause simpleMapExpr stringConcatenateOp inlineFunctionExpr namedFunctionRef dynamicFunctionInvocationExpr",
    ),
    functions: words(
      "head tail for-each filter fold-left fold-right for-each-pair function-lookup function-name function-arity path " +
        "has-children innermost outermost generate-id format-integer format-number format-date format-time format-dateTime " +
        "analyze-string parse-xml parse-xml-fragment serialize unparsed-text unparsed-text-lines unparsed-text-available " +
        "environment-variable available-environment-variables uri-collection element-with-id",
    ),
    prefixes: words("math"),
  },
  "3.1": {
    syntax: words("arrowExpr mapConstructor arrayConstructor lookup unaryLookup"),
    functions: words(
      "sort apply contains-token parse-json json-doc json-to-xml xml-to-json parse-ietf-date random-number-generator " +
        "collation-key load-xquery-module transform default-language",
    ),
    prefixes: words("map array"),
  },
};

/** The versions whose additions an expression of a version can't use. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  "xpath-20": ["3.0", "3.1"],
  "xpath-30": ["3.1"],
};

/** Describes the first part of a parsed expression that is newer than its version of XPath; undefined if there is none. */
export function newerThan(version: string | undefined, parsed: Element): string | undefined {
  for (const later of LATER[version ?? ""] ?? []) {
    const additions = SINCE[later];
    if (additions === undefined) continue;
    for (const element of parsed.getElementsByTagName("*")) {
      const name = nameIn(additions, element);
      if (name !== undefined) return `${name} exists since XPath ${later}`;
    }
  }
  return undefined;
}

function nameIn({ syntax, functions, prefixes }: Additions, element: Element): string | undefined {
  const kind = element.localName ?? "";
  if (syntax.has(kind)) return kind.replace(/(?:Expr|Clause|Op)$/, "");
  if (kind !== "functionName") return undefined;
  const prefix = element.getAttribute("xqx:prefix") ?? "";
  const name = element.textContent ?? "";
  const isNewer = prefix === "" || prefix === "fn" ? functions.has(name) : prefixes.has(prefix);
  return isNewer ? `${name}()` : undefined;
}
