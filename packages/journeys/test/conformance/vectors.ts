/** One verdict or value that the Arazzo specification demands; `section` is the part of its text that demands it. */
export type Vector =
  | { section: string; condition: string; passes: boolean; with?: World }
  | {
      section: string;
      type: "regex" | "jsonpath" | "xpath";
      context: string;
      condition: string;
      passes: boolean;
      with?: World;
    }
  | { section: string; expression: string; value: unknown; with?: World }
  | { section: string; text: string; value: string; with?: World }
  | { section: string; invalid: string };

/** The differences from the default world that every vector sees (see `vectors.test.ts`). */
export interface World {
  body?: unknown;
  status?: number;
}

const LITERALS = "Criterion Object, Literals";
const OPERATORS = "Criterion Object, Operators";
const SIMPLE = "Condition Evaluation, Simple Conditions";
const REGEX = "Condition Evaluation, Regex Conditions";
const JSONPATH = "Condition Evaluation, JSONPath Conditions";
const XPATH = "Condition Evaluation, XPath Conditions";
const ERRORS = "Condition Evaluation, Evaluation Errors";
const IN_CONDITIONS = "Criterion Object, Runtime Expressions in Conditions";
const ABNF = "Runtime Expressions, ABNF";
const EXAMPLES = "Runtime Expressions, Examples";
const EMBEDDED = "Runtime Expressions, embedded expressions";
const SOURCES = "Source Description Expression Resolution";

const holds = (section: string, ...conditions: string[]): Vector[] =>
  conditions.map((condition) => ({ section, condition, passes: true }));
const fails = (section: string, ...conditions: string[]): Vector[] =>
  conditions.map((condition) => ({ section, condition, passes: false }));
const invalid = (section: string, ...texts: string[]): Vector[] =>
  texts.map((text) => ({ section, invalid: text }));

const SIMPLE_VECTORS: Vector[] = [
  ...holds(LITERALS, "true", "true == true", "null == null", "1.5 == 1.5", "-3 < 0", "1e2 == 100"),
  ...holds(LITERALS, "$response.body#/quote == 'it''s'", "'' == ''", "$response.body#/name == 'Rex'"),
  ...fails(LITERALS, "false", "null", "true == false", "1 == 2"),
  ...invalid(LITERALS, '$response.body#/name == "Rex"', "$response.body#/name == Rex", "'open", "01 == 1"),
  ...holds(OPERATORS, "1 < 2", "2 <= 2", "3 > 2", "3 >= 3", "1 == 1", "1 != 2", "!false", "!(1 == 2)"),
  ...fails(OPERATORS, "2 < 1", "3 <= 2", "2 > 3", "2 >= 3", "1 != 1", "!true", "!(1 == 1)"),
  ...holds(OPERATORS, "true && true", "false || true", "true || false", "(false || true) && true"),
  ...fails(OPERATORS, "true && false", "false || false", "false && true", "(true || false) && false"),
  ...holds(OPERATORS, "true || false && false", "1 == 1 || 1 == 2 && 1 == 3", "!false && !false"),
  ...fails(OPERATORS, "(true || false) && false || false", "!true || false"),
  ...holds(
    OPERATORS,
    "$response.body.tags[0] == 'cute'",
    "$response.body.owner.name == 'Ann'",
    "$response.body.list[1].id == 2",
    "$steps.find.outputs.pets[0].id == 7",
    "($response.body.list)[0].id == 1",
  ),
  ...fails(OPERATORS, "$response.body.tags[9] == 'cute'", "$response.body.owner.missing == 'Ann'"),
  ...invalid(
    OPERATORS,
    "1 = 1",
    "1 == 1 == 1",
    "(1 == 1",
    "1 == 1)",
    "1 ==",
    "&& true",
    "true &&",
    "",
    "1 & 1",
  ),
  ...holds(SIMPLE, "$statusCode == 200", "$statusCode == 200 && $response.body.name != null", "$statusCode"),
  ...holds(SIMPLE, "$response.body#/name == 'REX'", "'ABC' == 'abc'", "$response.header.x-mode == 'STRICT'"),
  ...fails(SIMPLE, "'abc' != 'ABC'", "$response.body#/name != 'rex'"),
  ...holds(SIMPLE, "$response.header.x-rate > 10", "'10' == 10", "'9' < 10", "'1.50' == 1.5", "'b' > 'A'"),
  ...fails(
    SIMPLE,
    "$response.header.x-rate < 10",
    "'abc' > 1",
    "true > 0",
    "'' == 0",
    "true == 1",
    "'10x' == 10",
  ),
  ...holds(
    SIMPLE,
    "$response.body#/missing == null",
    "$response.body#/nothing == null",
    "$inputs.absent == null",
  ),
  ...holds(
    SIMPLE,
    "$response.body#/name != null",
    "$response.body#/zero != null",
    "$response.body#/no != null",
  ),
  ...fails(
    SIMPLE,
    "$response.body#/name == null",
    "null == 0",
    "null == false",
    "null == ''",
    "null < 1",
    "null > 0",
    "null >= 0",
    "$response.body#/missing",
    "$response.body#/no",
    "$response.body#/missing != null",
  ),
  ...holds(
    SIMPLE,
    "$response.body#/yes",
    "!$response.body#/no",
    "!$response.body#/missing",
    "$response.body#/no == false",
  ),
  ...holds(IN_CONDITIONS, "$response.body.count > $inputs.threshold", "$response.body#/name == $inputs.name"),
  ...holds(IN_CONDITIONS, "$response.body#/greeting == 'Hello {$inputs.name}'"),
  ...fails(IN_CONDITIONS, "$response.body.count < $inputs.threshold"),
  { section: SIMPLE, condition: "$response.body#/0/id == 5", passes: true, with: { body: [{ id: 5 }] } },
  { section: SIMPLE, condition: "$response.body == 'plain'", passes: true, with: { body: "plain" } },
  { section: SIMPLE, condition: "$response.body == null", passes: true, with: { body: undefined } },
  {
    section: SIMPLE,
    condition: "$statusCode >= 200 && $statusCode < 300",
    passes: false,
    with: { status: 503 },
  },
];

const regex = (context: string, condition: string, passes: boolean, section = REGEX): Vector => ({
  section,
  type: "regex",
  context,
  condition,
  passes,
});
const jsonpath = (
  condition: string,
  passes: boolean,
  section = JSONPATH,
  context = "$response.body",
): Vector => ({
  section,
  type: "jsonpath",
  context,
  condition,
  passes,
});
const xpath = (condition: string, passes: boolean, section = XPATH, context = "$inputs.xml"): Vector => ({
  section,
  type: "xpath",
  context,
  condition,
  passes,
});

const PATTERN_VECTORS: Vector[] = [
  regex("$statusCode", "^2\\d{2}$", true),
  regex("$statusCode", "^200$", true),
  regex("$statusCode", "^4", false),
  regex("$response.body#/name", "e", true),
  regex("$response.body#/name", "^rex$", false),
  regex("$response.body#/missing", ".*", false),
  regex("$response.body#/nothing", ".*", false),
  regex("$response.body#/name", "^({$inputs.name}|x)$", true, IN_CONDITIONS),
  regex("$response.body#/name", "(", false, ERRORS),
  regex("$response.body#/name", "(?<=R)e", true, ERRORS),
  jsonpath("$.tags[*]", true),
  jsonpath("$.none[*]", false),
  jsonpath("$[?count(@.*) > 1]", true),
  jsonpath("$[?count(@.*) > 9]", false),
  jsonpath("$.list[?@.id == 2]", true),
  jsonpath("$.list[?@.id == 9]", false),
  jsonpath('$.list[?(@.label == "b")]', true),
  jsonpath("$.nothing", true),
  jsonpath("$.list[?@.label == 'B']", false),
  jsonpath("$..id", true),
  jsonpath("$.list[-1]", true),
  jsonpath("$.list[?match(@.label, '[ab]')]", true),
  jsonpath("$.list[?length(@.label) > 3]", false),
  jsonpath('$.list[?@.label == "{$inputs.label}"]', true, IN_CONDITIONS),
  jsonpath("$.list[?@.id == {$inputs.wanted}]", true, IN_CONDITIONS),
  jsonpath("$.list[", false, ERRORS),
  jsonpath("$.x", false, ERRORS, "$response.body#/name"),
  jsonpath("$", false, JSONPATH, "$response.body#/missing"),
  jsonpath("$", false, JSONPATH, "$response.body#/nothing"),
  xpath("count(/root/pets/*) > 0", true),
  xpath("count(/root/pets/*) > 5", false),
  xpath("/root/pets", true),
  xpath("/root/cats", false),
  xpath("count(/root/pets/*)", true),
  xpath("count(/root/cats)", false),
  xpath("string(/root/pets/pet[1])", true),
  xpath("string(/root/empty)", false),
  xpath("/root/pets/pet[@age > 3]", true),
  xpath("/root/pets/pet[price > {$inputs.threshold}]", false, IN_CONDITIONS),
  xpath('/root/pets/pet[. = "{$inputs.name}"]', true, IN_CONDITIONS),
  xpath("some $p in /root/pets/pet satisfies $p = 'Rex'", true),
  xpath("/root/[", false, ERRORS),
  xpath("/root", false, ERRORS, "$response.body#/name"),
  xpath("/root", false, XPATH, "$response.body#/missing"),
  xpath("1 div 0 = 1", false, ERRORS),
];

const value = (section: string, expression: string, wanted: unknown): Vector => ({
  section,
  expression,
  value: wanted,
});

const EXPRESSION_VECTORS: Vector[] = [
  value(EXAMPLES, "$url", "https://api.example/pets/7?verbose=true"),
  value(EXAMPLES, "$method", "POST"),
  value(EXAMPLES, "$statusCode", 200),
  value(EXAMPLES, "$self", "https://example.com/pets.arazzo.yaml"),
  value(EXAMPLES, "$request.header.accept", "application/json"),
  value(ABNF, "$request.header.ACCEPT", "application/json"),
  value(EXAMPLES, "$request.path.id", 7),
  value(EXAMPLES, "$request.query.verbose", true),
  value(ABNF, "$request.query.VERBOSE", undefined),
  value(EXAMPLES, "$request.body#/user/uuid", "u-1"),
  value(EXAMPLES, "$request.body", { user: { uuid: "u-1" } }),
  value(EXAMPLES, "$response.body#/list/0/id", 1),
  value(EXAMPLES, "$response.header.X-Rate", "42"),
  value(EXAMPLES, "$inputs.name", "Rex"),
  value(EXAMPLES, "$workflows.login.inputs.user", "ann"),
  value(EXAMPLES, "$workflows.login.outputs.token", "t-1"),
  value(EXAMPLES, "$workflows.login.outputs.session#/id", 3),
  value(EXAMPLES, "$steps.find.outputs.pets", [{ id: 7 }]),
  value(EXAMPLES, "$steps.find.outputs.pets#/0/id", 7),
  value(EXAMPLES, "$outputs.bar", "b"),
  value(ABNF, "$inputs.dotted.name", "d"),
  value(ABNF, "$response.body#/a~1b", "slash"),
  value(ABNF, "$response.body#/m~0n", "tilde"),
  value(ABNF, "$response.body#/", "empty key"),
  value(ABNF, "$response.body#/list/9/id", undefined),
  value(ABNF, "$response.body#/list/01/id", undefined),
  value(ABNF, "$response.body#/__proto__", undefined),
  value(ABNF, "$inputs.constructor", undefined),
  value(ABNF, "$response.body#/list/length", undefined),
  value(ABNF, "$steps.never.outputs.x", undefined),
  value(EXAMPLES, "$sourceDescriptions.petstore.url", "https://api.example/petstore.yaml"),
  value(SOURCES, "$sourceDescriptions.petstore.type", "openapi"),
  ...invalid(
    ABNF,
    "$inputs",
    "$inputs.",
    "$steps.find",
    "$steps..outputs.x",
    "$response",
    "$response.status",
    "$response.header.",
    "$response.header.a b",
    "$response.body#name",
    "$response.body#/a~2",
    "$response.body#/{x}",
    "$workflows.login.steps.x",
    "$components.schemas.x",
    "$sourceDescriptions.petstore",
    "$statuscode",
    "statusCode",
    "$url.path",
  ),
];

const text = (from: string, to: string): Vector => ({ section: EMBEDDED, text: from, value: to });

const TEXT_VECTORS: Vector[] = [
  text("Bearer {$inputs.name}", "Bearer Rex"),
  text("https://{$inputs.name}/api/{$steps.find.outputs.pets#/0/id}/status", "https://Rex/api/7/status"),
  text("{$inputs.threshold}", "3"),
  text("{$inputs.flag}", "true"),
  text("{$response.body#/nothing}", "null"),
  text("{$steps.find.outputs.pets}", '[{"id":7}]'),
  text("{$inputs.xml}", "<root><pets><pet age='5'>Rex</pet></pets><empty/></root>"),
  text('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
  text("costs {$5}", "costs {$5}"),
  text("{$inputs.name}{$inputs.name}", "RexRex"),
];

/** Written from the text of Arazzo 1.1.0 (and 1.0.1, where both say the same). */
export const VECTORS: readonly Vector[] = [
  ...SIMPLE_VECTORS,
  ...PATTERN_VECTORS,
  ...EXPRESSION_VECTORS,
  ...TEXT_VECTORS,
];
