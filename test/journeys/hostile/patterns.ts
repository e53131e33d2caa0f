import { criterion, journey, oneStep } from "./case.ts";
import type { HostileCase } from "./case.ts";

const AS = `${"a".repeat(20_000)}!`;
const ITEMS = Array.from({ length: 3_400 }, (_, index) => ({ a: [index, { b: index }] }));
const XML = `<r>${"<i><j>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!</j></i>".repeat(300)}</r>`;
const LARGE_XML = `<r>${"<i><j>a</j></i>".repeat(2_000)}</r>`;

function nested(depth: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < depth; level++) value = { a: [value] };
  return value;
}

const regex = (what: string, pattern: string, text = () => AS): HostileCase => ({
  what: `regular expression, ${what}`,
  end: criterion("regex", pattern, text, { type: "text/plain" }),
});

export const REGULAR_EXPRESSIONS: HostileCase[] = [
  regex("nested quantifiers", "^(a+)+$"),
  regex("equal alternatives", "^(a|a)*$"),
  regex("overlapping quantifiers", "(a+a+)+b"),
  regex("a group twenty times", "^(.*a){20}$"),
  regex("quantifiers in a look-ahead", "^(?=(a+)+b)a"),
  regex("back-references", "^(a*)*\\1\\1b"),
  regex("repeats of repeats", "((a{1,100}){1,100}){1,100}b"),
  regex("32,000 lengths on 5 MB", "[a-z]*\\d", () => "a".repeat(5_000_000)),
  regex("longer than 2,000 characters", `(${"a|".repeat(1_500)}b)`),
  regex("2,000 open groups", "(".repeat(2_000)),
  {
    what: "regular expression, taken from the answer",
    end: journey({
      workflows: oneStep(
        `successCriteria: [{ type: regex, context: "$response.body#/t", condition: "{$response.body#/p}" }]`,
      ),
      answer: () => ({ status: 200, body: { p: "^(a+)+$", t: AS } }),
    }),
  },
];

const jsonpath = (
  what: string,
  query: string,
  value: () => unknown = () => ITEMS,
  type = "jsonpath",
): HostileCase => ({
  what: `JSONPath, ${what}`,
  end: criterion(type, query, value),
});

export const JSONPATHS: HostileCase[] = [
  jsonpath("all of the body for each item", "$[?$..x]"),
  jsonpath("four descents", "$..*..*..*..*", () => nested(60, 1)),
  jsonpath("descents in filters", "$..[?@..[?@..x]]", () => nested(200, 1)),
  jsonpath("all of the body in three filters", "$[?$..*[?$..*[?$..*]]]"),
  jsonpath("two wildcards 24 times", `$${"[*,*]".repeat(24)}`, () => nested(30, 1)),
  jsonpath("three slices 24 times", `$.a${"[0:,0:,0:].a".repeat(24)}`, () => nested(100, 1)),
  jsonpath("a count of all for each item", "$[?count($..*) == 1]"),
  jsonpath("comparison of large values", "$[?@ == $[3399]]", () =>
    Array.from({ length: 3_400 }, () => [1, { b: 2 }]),
  ),
  jsonpath("a regular expression in a filter", "$[?search(@, '^(a+)+$')]", () => [AS]),
  jsonpath("every part of a deep body", "$..*", () => nested(200, "x".repeat(100_000))),
  jsonpath("longer than 4,000 characters", `$${".a".repeat(2_100)}`),
  jsonpath("1,000 open brackets", `$${"[?(".repeat(1_000)}`),
  jsonpath(
    "Goessner's filters within filters",
    "$..[?(@..[?(@..x)])]",
    undefined,
    "jsonpath draft-goessner-dispatch-jsonpath-00",
  ),
  {
    what: "JSONPath, in an output",
    end: journey({
      workflows: oneStep(
        `outputs: { all: { context: $response.body, selector: "$..*..*..*..*", type: jsonpath } }`,
      ),
      answer: () => ({ status: 200, body: nested(60, 1) }),
    }),
  },
  {
    what: "JSONPath, as the target of a replacement",
    end: journey({
      workflows: oneStep(
        `requestBody: { payload: ${JSON.stringify(nested(40, 1))}, replacements: [{ target: "$..*..*..*..*..*", targetSelectorType: jsonpath, value: 1 }] }`,
        "aPost",
      ),
      answer: () => ({ status: 200 }),
    }),
  },
];

const xpath = (what: string, query: string, xml = () => XML, type = "xpath"): HostileCase => ({
  what: `XPath, ${what}`,
  end: criterion(type, query, xml, { type: "application/xml" }),
});

export const XPATHS: HostileCase[] = [
  xpath("paths in predicates", "//*[//*[//*[//*[//*]]]]", () => LARGE_XML),
  xpath("//a = 'ok' on 8,000 levels", "//a = 'ok'", () => `${"<a>".repeat(8_000)}${"</a>".repeat(8_000)}`),
  xpath("a thousand million numbers", "count(1 to 1000000000) > 0"),
  xpath(
    "four variables over all nodes",
    "some $a in //*, $b in //*, $c in //*, $d in //* satisfies string($a) = concat($b, $c, $d)",
  ),
  xpath(
    "a text that doubles",
    `let $a := 'aaaaaaaaaa' ${Array.from({ length: 26 }, (_, n) => `let $a${n} := concat(${n === 0 ? "$a, $a" : `$a${n - 1}, $a${n - 1}`})`).join(" ")} return string-length($a25) = 1`
      .replaceAll(") let", ") return let")
      .replace("'aaaaaaaaaa' let", "'aaaaaaaaaa' return let"),
  ),
  xpath(
    "a sequence that doubles",
    `${Array.from({ length: 26 }, (_, n) => `let $s${n} := (${n === 0 ? "1, 1" : `$s${n - 1}, $s${n - 1}`}) return `).join("")}count($s25) = 1`,
  ),
  xpath("comparison of sequences", "(1 to 100000) = (100001 to 200000)"),
  xpath("a sort of all pairs", "count(for $a in //*, $b in //* return ($a | $b)) = 1"),
  xpath("matches()", "some $j in //j satisfies matches($j, '^(a+)+$')"),
  xpath("replace()", "replace(string(//j[1]), '^(a+)+$', '') = 'b'"),
  xpath(
    "a text of thirty million",
    "string-length(string-join(for $i in 1 to 3000000 return 'aaaaaaaaaa', '')) = 1",
  ),
  xpath("1.0, paths in predicates", "//*[count(//*[count(//*) > 1]) = 0]", () => LARGE_XML, "xpath xpath-10"),
  xpath("900 parentheses", `${"(".repeat(900)}1${")".repeat(900)}`),
  xpath("a file of the machine", "doc('file:///etc/passwd')"),
  xpath("a variable of the environment", "environment-variable('PATH')"),
  xpath("entities that double", "//a", () => `<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><r>&b;</r>`),
  xpath("a document of 1.2 MB", "//a", () => `<r>${"<a/>".repeat(300_000)}</r>`),
  xpath("a document that never ends", "//a", () => "<a>".repeat(100_000)),
];
