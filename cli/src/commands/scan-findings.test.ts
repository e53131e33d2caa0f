import path from "node:path";
import { expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = `openapi: 3.0.3
info: { title: Orders, version: 1.0.0 }
paths:
  /orders:
    get:
      operationId: listOrders
      responses:
        "200": { description: ok }
    parameters: []
  /orders/{id}:
    delete:
      responses:
        "204": { description: gone }
components:
  schemas: {}
`;

interface Found {
  code: string;
  severity: string;
  message: string;
  method: string | null;
  path: string | null;
}

/** Scans a description with a report, in a dry run. */
async function scan(
  report: unknown,
  {
    args = [],
    files = {},
    stdin,
  }: { args?: string[]; files?: Record<string, string>; stdin?: string | Buffer } = {},
) {
  const folder = await temporaryFolder();
  const text = typeof report === "string" || Buffer.isBuffer(report) ? report : JSON.stringify(report);
  await folder.write(".git/HEAD", "ref: refs/heads/main\n");
  for (const [name, content] of Object.entries({ "openapi.yaml": SPEC, ...files }))
    await folder.write(name, content);
  await folder.write("report.json", text);
  const spec = args.includes("--spec") ? [] : ["--spec", "openapi.yaml", "--service", "orders"];
  const all = ["scan", ...spec, "--findings", "report.json", "--dry-run", "--json", ...args];
  const result = await runCaptured(all, { cwd: folder.path, ...(stdin === undefined ? {} : { stdin }) });
  const lines = result.stdout.split("\n").filter((line) => line !== "");
  const findings: Found[] = lines.flatMap((line) => JSON.parse(line).payload?.findings ?? []);
  return { ...result, findings };
}

/** A result as Spectral 6 writes it. */
function spectral(more: Record<string, unknown> = {}) {
  return {
    code: "operation-tags",
    path: ["paths", "/orders/{id}", "delete"],
    message: 'Operation must have non-empty "tags" array.',
    severity: 1,
    range: { start: { line: 10, character: 11 }, end: { line: 12, character: 36 } },
    source: "openapi.yaml",
    ...more,
  };
}

/** A log as tools write it, with the results of one run. */
function sarif(results: unknown[], run: Record<string, unknown> = {}) {
  return { version: "2.1.0", runs: [{ tool: { driver: { name: "acme", rules: [] } }, results, ...run }] };
}

/** A result at a line of the description. */
function at(startLine: number, more: Record<string, unknown> = {}, uri = "openapi.yaml") {
  const physicalLocation = { artifactLocation: { uri }, region: { startLine, startColumn: 5 } };
  return {
    ruleId: "acme-rule",
    message: { text: "It is wrong." },
    locations: [{ physicalLocation }],
    ...more,
  };
}

test("results of Spectral become findings of the endpoint in their path", async () => {
  const { findings, exitCode } = await scan([
    spectral(),
    spectral({ code: "a", severity: 0, path: ["paths", "/orders", "get", "tags", "0"] }),
    spectral({ code: "b", severity: 2, path: ["paths", "/orders", "parameters"] }),
    spectral({ code: "c", severity: 3, path: ["info"] }),
    spectral({ code: 7, path: ["paths", "/gone", "get"] }),
    spectral({ code: "e", path: ["paths", "/orders", "post"] }),
  ]);
  expect(exitCode).toBe(0);
  expect(findings.map(({ code, severity, method, path: place }) => [code, severity, method, place])).toEqual([
    ["a", "high", "GET", "/orders"],
    ["operation-tags", "medium", "DELETE", "/orders/{id}"],
    ["7", "medium", null, null],
    ["e", "medium", null, "/orders"],
    ["b", "low", null, "/orders"],
    ["c", "info", null, null],
  ]);
});

test.each([
  ["after an empty list", `[]No results with a severity of 'error' found!`, 0],
  [
    "before it",
    `(node:1) Warning: [hint] {x}\n[warn] no title\n${JSON.stringify([spectral()], null, 2)}\n`,
    1,
  ],
  [
    "in a long string after it",
    `${JSON.stringify([spectral({ message: 'a "\\" ]}'.repeat(1_000) })])}\nDone.`,
    1,
  ],
  ["in UTF-16", Buffer.from(`\ufeff${JSON.stringify([spectral()])}`, "utf16le"), 1],
  ["after a byte order mark", `\ufeff${JSON.stringify([spectral()])}`, 1],
])("a report is read with text %s", async (_, report, count) => {
  const { exitCode, findings } = await scan(report);
  expect({ exitCode, count: findings.length }).toEqual({ exitCode: 0, count });
});

test.each([
  ["no JSON", "No files found to lint.", "has no JSON in it, so it is no report of findings."],
  ["nothing", "", "is empty, so it is no report of findings."],
  ["an open string of escapes", `text\n[ "${'\\"'.repeat(150_000)}`, "has no JSON in it"],
  ["a part of a report", JSON.stringify([spectral()]).slice(0, -20), "has no JSON in it"],
  ["two reports", `[]\n[]\n`, "has 2 reports, one after the other"],
  ["another list", [{ rule: "x" }], "is no report that Waymark reads"],
  ["a description", { openapi: "3.1.0" }, "is no report that Waymark reads"],
  ["an older SARIF", { ...sarif([]), version: "1.0.0" }, "is SARIF 1.0.0, and Waymark reads 2.1.0."],
  ["no run", { version: "2.1.0", runs: [] }, "has no run in it, so nothing was checked."],
  [
    "a run without results",
    sarif([], { results: null }),
    "the run of acme has no results, so nothing was checked.",
  ],
  [
    "results elsewhere",
    sarif([], { results: undefined, externalPropertyFileReferences: {} }),
    "keeps its results in other files.",
  ],
  ["an unknown severity", [spectral({ severity: 4 })], "the severity of result 0 must be 0 (error)"],
])("a file with %s is refused", async (_, report, message) => {
  const { exitCode, stderr, stdout } = await scan(report);
  expect(exitCode).toBe(2);
  expect(`${stdout}${stderr}`).toContain(message);
});

test("a finding of SARIF belongs to the operation at its line", async () => {
  const { findings } = await scan(sarif([2, 4, 5, 8, 9, 10, 13, 14, 15].map((line) => at(line))));
  expect(findings.map(({ method, path: place }) => `${method} ${place}`)).toEqual([
    "null null",
    "null /orders",
    "GET /orders",
    "GET /orders",
    "null /orders",
    "null /orders/{id}",
    "DELETE /orders/{id}",
    "null null",
    "null null",
  ]);
});

test("in a description of one line, a finding of SARIF belongs to the operation at its column", async () => {
  const text = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: { "/a": { get: {}, put: {} } },
  });
  const region = { startLine: 1, startColumn: text.indexOf('"put"') + 8 };
  const result = {
    ...at(1),
    locations: [{ physicalLocation: { artifactLocation: { uri: "one.json" }, region } }],
  };
  const args = ["--service", "s", "--spec", "one.json"];
  const { findings } = await scan(sarif([result]), { files: { "one.json": text }, args });
  expect(findings).toMatchObject([{ method: "PUT", path: "/a" }]);
});

const RULES = [
  { id: "r-error", defaultConfiguration: { level: "error" } },
  { id: "r-none", shortDescription: { text: "The rule's own words." } },
  {
    id: "r-critical",
    properties: { "security-severity": "9.1" },
    messageStrings: { m: { text: "{0} is {1}" } },
  },
];
const DRIVER = { tool: { driver: { name: "acme", rules: RULES } } };

test.each([
  ["the level of the result", { level: "note", ruleIndex: 0 }, "low"],
  ["the level of its rule, by index", { ruleIndex: 0 }, "high"],
  ["the level of its rule, by rule.index", { rule: { index: 0 } }, "high"],
  ["the level of its rule, by id", { ruleId: "r-error" }, "high"],
  ["the level of its rule, by the first part of the id", { ruleId: "r-error/1" }, "high"],
  ["a warning without any", { ruleId: "r-none" }, "medium"],
  ["no level for a kind that is no failure", { ruleId: "r-error", kind: "informational" }, "info"],
  ["the rule's security-severity", { ruleId: "r-critical", level: "warning" }, "critical"],
])("the severity of a SARIF result is %s", async (_, more, severity) => {
  const { findings } = await scan(sarif([at(5, { ruleId: undefined, ...more })], DRIVER));
  expect(findings).toMatchObject([{ severity }]);
});

test("the level of a rule is that of the run's configuration, and rules may be of an extension", async () => {
  const invocations = [
    { ruleConfigurationOverrides: [{ descriptor: { id: "r-error" }, configuration: { level: "note" } }] },
  ];
  const extensions = [{ rules: [{ id: "ext", defaultConfiguration: { level: "error" } }] }];
  const tool = { ...DRIVER.tool, extensions };
  const results = [
    at(5, { ruleId: "r-error" }),
    at(5, { ruleId: undefined, rule: { index: 0, toolComponent: { index: 0 } } }),
  ];
  const { findings } = await scan(sarif(results, { tool, invocations }));
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
    ["ext", "high"],
    ["r-error", "low"],
  ]);
});

test("a message of SARIF may be a template of its rule, or that of the rule itself", async () => {
  const results = [
    at(5, { ruleId: "r-critical", message: { id: "m", arguments: ["GET", "slow"] } }),
    at(5, { ruleId: "r-none", message: {} }),
  ];
  const { findings } = await scan(sarif(results, DRIVER));
  expect(findings.map(({ message }) => message)).toEqual(["GET is slow", "The rule's own words."]);
});

test("results of SARIF that are no findings are counted", async () => {
  const results = [
    at(5),
    at(5, { suppressions: [{ kind: "inSource" }] }),
    at(5, { suppressions: [{ kind: "external", status: "accepted" }] }),
    at(5, { suppressions: [{ kind: "external", status: "rejected" }] }),
    at(5, { suppressions: [] }),
    at(5, { kind: "pass" }),
    at(5, { kind: "notApplicable" }),
    at(5, { baselineState: "absent" }),
  ];
  const { findings, stderr } = await scan(sarif(results));
  expect(findings).toHaveLength(3);
  expect(stderr).toBe(
    "Note: report.json: 5 results not counted as findings: 2 suppressed, 1 passed, 1 not applicable, 1 absent since the baseline.\n",
  );
});

test("a run that says it failed fails the gate on findings", async () => {
  const report = sarif([], { invocations: [{ executionSuccessful: false }] });
  const { exitCode, stderr } = await scan(report, { args: ["--fail-on", "high"] });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("acme says that its run failed, so findings may be missing.");
});

test.each([
  [
    "a base that the run names",
    "api/openapi.yaml",
    { originalUriBaseIds: { ROOT: { uri: "file:///build/" } } },
    "ROOT",
  ],
  ["a base without an address", "api/openapi.yaml", {}, "%SRCROOT%"],
  [
    "a base of another base",
    "openapi.yaml",
    {
      originalUriBaseIds: {
        API: { uri: "api/", uriBaseId: "ROOT" },
        ROOT: { uri: "file:///home/runner/work/shop/" },
      },
    },
    "API",
  ],
  ["an address of another machine", "file:///D:/a/shop/api/openapi.yaml", {}, undefined],
  ["percent escapes and dots", "./x/../%61pi/openapi.yaml", {}, undefined],
])("a place in SARIF is found in the checkout through %s", async (_, uri, run, uriBaseId) => {
  const artifactLocation = { uri, ...(uriBaseId === undefined ? {} : { uriBaseId }) };
  const result = {
    ...at(5),
    locations: [{ physicalLocation: { artifactLocation, region: { startLine: 5 } } }],
  };
  const args = ["--service", "s", "--spec", "api/openapi.yaml"];
  const { findings } = await scan(sarif([result], run), { files: { "api/openapi.yaml": SPEC }, args });
  expect(findings).toMatchObject([{ path: "/orders" }]);
});

test("findings about other files are left out and counted", async () => {
  const report = [
    spectral(),
    spectral({ source: "/builds/shop/other/openapi.yaml" }),
    spectral({ source: "https://a.example/openapi.yaml" }),
  ];
  const { findings, stderr } = await scan(report, { files: { "other/openapi.yaml": SPEC } });
  expect(findings).toHaveLength(1);
  expect(stderr).toBe(
    "Note: 2 findings of other tools left out, about what is not scanned: /builds/shop/other/openapi.yaml, https://a.example/openapi.yaml.\n",
  );
});

test("a report of which no file is here is refused, so that its findings can't get lost", async () => {
  const { exitCode, stderr } = await scan([spectral({ source: "/src/orders.yaml" })]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("report.json: no file that its findings name is here.");
});

test("each of many descriptions gets the findings about it", async () => {
  const files = { "a/openapi.yaml": SPEC, "b/openapi.yaml": SPEC };
  const report = [
    spectral({ source: path.posix.join("a", "openapi.yaml") }),
    spectral({ code: "b", source: "b/openapi.yaml" }),
    spectral({ source: null }),
  ];
  const args = ["--spec", "{a,b}/openapi.yaml", "--service-from", "file"];
  const { exitCode, stderr, findings } = await scan(report, { files, args });
  expect({ exitCode, codes: findings.map(({ code }) => code) }).toEqual({
    exitCode: 0,
    codes: ["operation-tags", "b"],
  });
  expect(stderr).toContain("1 finding of other tools left out, about what is not scanned: no file.");
});

test("findings of a referenced file belong to the description, without an endpoint", async () => {
  const files = {
    "openapi.yaml": SPEC.replace("get:\n", "get: { $ref: 'get.yaml' }\n    put:\n"),
    "get.yaml": "operationId: x\nresponses: {}\n",
  };
  const { findings } = await scan([spectral({ source: "get.yaml", path: ["responses"] })], { files });
  expect(findings).toMatchObject([{ path: null, method: null }]);
});

test("a gate on findings needs no linting if there is a report, and --severity changes a rule of it", async () => {
  const args = ["--fail-on", "critical", "--severity", "operation-tags=critical"];
  const { exitCode, findings } = await scan([spectral()], { args });
  expect({ exitCode, findings }).toMatchObject({ exitCode: 1, findings: [{ severity: "critical" }] });
  expect(findings).toHaveLength(1);
  expect(await scan([spectral()], { args: ["--fail-on", "high"] })).toMatchObject({
    exitCode: 0,
    stderr: "",
  });
});

test("with --lint, findings of both are submitted, and those beyond the limit are counted", async () => {
  const many = Array.from({ length: 600 }, (_, index) =>
    spectral({ code: `r${index}`, severity: index % 4 }),
  );
  const { findings, stderr } = await scan(many, { args: ["--lint"] });
  expect(findings).toHaveLength(500);
  expect(findings.some(({ code }) => code === "info-license")).toBe(true);
  // Those of the report and two of the linter's.
  expect(findings.filter(({ severity }) => severity === "low")).toHaveLength(152);
  expect(findings.filter(({ severity }) => severity === "info").length).toBeLessThan(150);
  expect(stderr).toMatch(/^Note: 1\d\d findings left out: a scan holds 500, the most severe are sent\.\n$/);
});

test("texts of a report are cut to the limits of a scan", async () => {
  const { exitCode, findings } = await scan([
    spectral({ code: "c\0".repeat(500), message: "\ud800".repeat(9000) }),
  ]);
  expect(exitCode).toBe(0);
  expect(findings[0]?.code.length).toBeLessThanOrEqual(200);
});

test("a report may come from standard input, and only one thing can", async () => {
  const args = ["--findings", "-"];
  expect((await scan([], { args, stdin: JSON.stringify([spectral()]) })).findings).toHaveLength(1);
  const both = await scan([], { args: [...args, "--service", "s", "--spec", "-"], stdin: SPEC });
  expect(both).toMatchObject({ exitCode: 2 });
  expect(both.stderr).toContain("Standard input can provide one of the spec, the API key and a report");
});
