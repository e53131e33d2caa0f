import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type FakeApiOptions, NO_CHANGES, startFakeApi } from "../test-support/fake-api.ts";
import { answerJson } from "../test-support/fake-server.ts";
import { LINTED_SPEC } from "../test-support/linted-spec.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const RULE = "path-parameters-defined";
const MESSAGE = "The operation does not define the path parameter `{id}` expected by path `/a/{id}`.";
const DECISION = {
  id: "019a0000-0000-7000-8000-000000000009",
  kind: "accepted_risk",
  state: "active",
  serviceId: "019a0000-0000-7000-8000-000000000002",
  serviceName: "s",
  code: RULE,
  finding: null,
  maxSeverity: "high",
  reason: "known",
  until: "2999-03-01",
  findingCount: 1,
  exceededCount: 0,
};

interface Setup extends FakeApiOptions {
  decisions?: object[];
  /** The lines below `decisions` of `waymark.yaml`. */
  yaml?: string;
  args?: string[];
  /** The options that name the service and its description. */
  target?: string[];
  /** Files beside `openapi.json`, by name. */
  files?: Record<string, unknown>;
  env?: Record<string, string>;
}

async function scan(setup: Setup) {
  const { decisions, yaml, files = {}, env, ...api } = setup;
  const { args = ["--fail-on", "high"], target = ["--service", "s", "--spec", "openapi.json"] } = setup;
  const asked: string[] = [];
  const server = await startFakeApi({
    ...api,
    intercept: (request, response, raw) => {
      if (request.url.startsWith("/api/finding-decisions")) {
        asked.push(request.url);
        if (decisions !== undefined) {
          answerJson(response, 200, { decisions });
          return true;
        }
      }
      return api.intercept?.(request, response, raw) === true;
    },
  });
  const folder = await temporaryFolder();
  await folder.write("openapi.json", LINTED_SPEC);
  for (const [name, content] of Object.entries(files)) await folder.write(name, JSON.stringify(content));
  if (yaml !== undefined) await folder.write("waymark.yaml", `decisions:\n${yaml}\n`);
  const options = ["--api-url", server.url, "--lint"];
  const result = await runCaptured(["scan", ...target, ...options, ...args], {
    cwd: folder.path,
    env: { SERVICE_API_KEY: "k", ...env },
  });
  const read = (name: string) => readFile(path.join(folder.path, name), "utf8");
  return { ...result, asked, read, promoted: [...server.runs.values()].map((run) => run.promoted) };
}

describe("decisions on the server", () => {
  test.each([
    ["a rule", DECISION],
    ["a rule everywhere", { ...DECISION, serviceId: null }],
    [
      "a finding, with another name of its parameter",
      {
        ...DECISION,
        finding: { method: "GET", path: "/a/{aId}", message: MESSAGE.replaceAll("{id}", "{aId}") },
      },
    ],
  ])("about %s let the gate pass, and the output says how many until when", async (_, decision) => {
    const result = await scan({ decisions: [decision] });
    expect(result).toMatchObject({ exitCode: 0, promoted: [true] });
    expect(result.stderr).toContain("Note: --fail-on high: 1 high: 1 accepted until 2999-03-01, 0 open.\n");
    expect(result.asked).toEqual(["/api/finding-decisions?serviceName=s&limit=200"]);
  });

  test("about another finding, and those that have ended, change nothing, and the latter are said", async () => {
    const other = { ...DECISION, finding: { method: "GET", path: "/b", message: MESSAGE } };
    expect(await scan({ decisions: [other] })).toMatchObject({ exitCode: 1 });
    const ended = await scan({ decisions: [{ ...DECISION, state: "expired", until: "2020-01-01" }] });
    expect(ended).toMatchObject({ exitCode: 1, promoted: [false] });
    expect(ended.stderr).toContain("Note: 1 finding is open again: the decision about it has ended.\n");
  });

  test("don't cover a finding that has become more severe, and the output says so", async () => {
    const risen = await scan({ decisions: [{ ...DECISION, maxSeverity: "low" }] });
    expect(risen).toMatchObject({ exitCode: 1, promoted: [false] });
    expect(risen.stderr).toContain(
      "Note: 1 finding is open again, more severe than when it was decided: accepted until 2999-03-01 as low, now high.\n",
    );
    const everywhere = { ...DECISION, serviceId: null, serviceName: null };
    const covered = await scan({ decisions: [{ ...DECISION, maxSeverity: "low" }, everywhere] });
    expect(covered).toMatchObject({ exitCode: 0 });
    expect(covered.stderr).not.toContain("open again");
  });

  test("count for new findings, too", async () => {
    const added = {
      code: RULE,
      severity: "high" as const,
      message: MESSAGE,
      method: "GET" as const,
      path: "/a/{id}",
    };
    const changes = { findings: { ...NO_CHANGES.findings, new: [added] } };
    const args = ["--fail-on", "high", "--new-only"];
    expect(await scan({ changes, args, decisions: [] })).toMatchObject({ exitCode: 1 });
    expect(await scan({ changes, args, decisions: [DECISION] })).toMatchObject({ exitCode: 0 });
  });

  test.each<[string, NonNullable<FakeApiOptions["intercept"]>, RegExp]>([
    [
      "answers with an error",
      (request, response) => {
        if (!request.url.startsWith("/api/finding-decisions")) return false;
        answerJson(response, 403, { error: { code: "permission_denied", message: "Lacks endpoints:read." } });
        return true;
      },
      /Note: the decisions on the server can't be read, so none of them counts: .*Lacks endpoints:read/,
    ],
    [
      "does not answer",
      (request) => request.url.startsWith("/api/finding-decisions"),
      /Note: the decisions on the server can't be read, so none of them counts: /,
    ],
  ])(
    "don't count if the server %s, and the output says so, also with --quiet",
    async (_, intercept, note) => {
      const result = await scan({ intercept, args: ["--fail-on", "high", "--quiet"] });
      expect(result).toMatchObject({ exitCode: 1, promoted: [false] });
      expect(result.stderr).toMatch(note);
      expect(result.asked).toHaveLength(1);
    },
  );

  test("are not asked for again after the server could not tell them", async () => {
    const result = await scan({
      files: { "other.json": JSON.parse(LINTED_SPEC) },
      target: ["--service-from", "file", "--spec", "*.json"],
      intercept: (request, response) => {
        if (!request.url.startsWith("/api/finding-decisions")) return false;
        answerJson(response, 403, { error: { code: "permission_denied", message: "Lacks endpoints:read." } });
        return true;
      },
    });
    expect(result).toMatchObject({ exitCode: 1, promoted: [false, false], asked: { length: 1 } });
    expect(result.stderr.match(/the decisions on the server can't be read/g)).toHaveLength(1);
  });

  test("that the key may not read are no note in a report without a gate: all findings are open there", async () => {
    const result = await scan({
      args: ["--summary", "s.md"],
      intercept: (request, response) => {
        if (!request.url.startsWith("/api/finding-decisions")) return false;
        answerJson(response, 403, { error: { code: "permission_denied", message: "Lacks endpoints:read." } });
        return true;
      },
    });
    expect(result).toMatchObject({ exitCode: 0, asked: { length: 1 } });
    expect(result.stderr).not.toContain("decisions");
    expect(await result.read("s.md")).not.toContain("accepted");
  });

  test("are asked for only if they matter, and not of a server that has none", async () => {
    expect(await scan({ decisions: [], args: ["--fail-on", "critical"] })).toMatchObject({
      asked: [],
      exitCode: 0,
    });
    expect(await scan({ decisions: [], args: [] })).toMatchObject({ asked: [], exitCode: 0 });
    expect(await scan({ decisions: [DECISION], args: ["--fail-on", "high", "--dry-run"] })).toMatchObject({
      asked: [],
      exitCode: 1,
    });
    const old = await scan({});
    expect(old).toMatchObject({ exitCode: 1, asked: { length: 1 } });
    expect(old.stderr).not.toContain("decisions");
  });
});

describe("decisions of waymark.yaml", () => {
  const UNTIL = "reason: known, until: 2999-03-01";

  test.each([
    ["a rule", `rule: ${RULE}, ${UNTIL}`],
    ["a rule at a path", `rule: ${RULE}, path: "/a/{other}", ${UNTIL}`],
    ["a rule at an operation", `rule: ${RULE}, path: "/a/{id}", method: GET, kind: false_positive, ${UNTIL}`],
  ])("about %s let the gate pass", async (_, decision) => {
    const result = await scan({ yaml: `  - { ${decision} }`, decisions: [] });
    expect(result).toMatchObject({ exitCode: 0, promoted: [true] });
    expect(result.stderr).toMatch(
      /Note: --fail-on high: 1 high: 1 (accepted|false positive) until 2999-03-01, 0 open\.\n/,
    );
    const dry = await scan({ yaml: `  - { ${decision} }`, args: ["--fail-on", "high", "--dry-run"] });
    expect(dry).toMatchObject({ exitCode: 0, asked: [] });
  });

  test("that match nothing, and those that have ended, are said", async () => {
    const yaml = [
      `  - { rule: ${RULE}, path: /b, ${UNTIL} }`,
      `  - { rule: ${RULE}, method: POST, ${UNTIL} }`,
      `  - { rule: ${RULE}, reason: known, until: 2020-01-01 }`,
    ].join("\n");
    const result = await scan({ yaml, decisions: [] });
    expect(result).toMatchObject({ exitCode: 1 });
    expect(result.stderr).toContain(
      `Note: decisions[0] of waymark.yaml (${RULE} at /b) matches no finding of this scan: remove it, unless another scan needs it.\n`,
    );
    expect(result.stderr).toContain(
      `Note: decisions[1] of waymark.yaml (${RULE} at POST) matches no finding`,
    );
    expect(result.stderr).toContain(
      `Note: decisions[2] of waymark.yaml (${RULE}) ended on 2020-01-01, and is for 1 finding.\n`,
    );
    const part = await scan({ yaml, decisions: [], args: ["--fail-on", "high", "--include-path", "/a/**"] });
    expect(part.stderr).not.toContain("matches no finding");
  });

  test("that match nothing are not said if findings are missing", async () => {
    const run = { tool: { driver: { name: "acme" } }, results: [] };
    const files = {
      "report.sarif": { version: "2.1.0", runs: [{ ...run, invocations: [{ executionSuccessful: false }] }] },
    };
    const yaml = `  - { rule: acme, ${UNTIL} }`;
    const args = ["--findings", "report.sarif"];
    expect((await scan({ yaml, files, args })).stderr).not.toContain("matches no finding");
    files["report.sarif"].runs = [{ ...run, invocations: [{ executionSuccessful: true }] }];
    expect((await scan({ yaml, files, args })).stderr).toContain("matches no finding");
  });

  test("count for findings that are too many to be compared", async () => {
    const finding = {
      code: "acme",
      path: ["paths", "/a/{id}", "get"],
      severity: 0,
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
      source: "openapi.json",
    };
    const report = Array.from({ length: 501 }, (_, index) => ({ ...finding, message: `m${index}` }));
    const args = ["--findings", "report.json", "--fail-on", "high", "--new-only"];
    const many = { files: { "report.json": report }, args, changes: {} };
    const open = await scan(many);
    expect(open).toMatchObject({ exitCode: 1 });
    expect(open.stderr).toContain("2 findings beyond the 500 that could be compared");
    const decided = await scan({
      ...many,
      yaml: `  - { rule: acme, ${UNTIL} }\n  - { rule: ${RULE}, ${UNTIL} }`,
    });
    expect(decided).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ["no reason", `{ rule: r, until: 2999-01-01 }`, "decisions.0.reason"],
    ["a blank reason", `{ rule: r, reason: " ", until: 2999-01-01 }`, "decisions.0.reason"],
    ["no last day", `{ rule: r, reason: x }`, "decisions.0.until"],
    ["a day that does not exist", `{ rule: r, reason: x, until: 2999-02-30 }`, "decisions.0.until"],
    ["no rule", `{ reason: x, until: 2999-01-01 }`, "decisions.0.rule"],
    ["an unknown field", `{ rule: r, reason: x, until: 2999-01-01, expires: x }`, '"expires"'],
    ["an unknown kind", `{ rule: r, kind: ignored, reason: x, until: 2999-01-01 }`, "decisions.0.kind"],
    ["an unknown method", `{ rule: r, method: get, reason: x, until: 2999-01-01 }`, "decisions.0.method"],
  ])("with %s are refused", async (_, decision, place) => {
    const result = await scan({ yaml: `  - ${decision}` });
    expect(result).toMatchObject({ exitCode: 2, promoted: [] });
    expect(result.stderr).toContain(place);
  });
});

describe("reports", () => {
  const yaml = `  - { rule: no-empty-servers, kind: wont_fix, reason: internal, until: 2999-05-01 }`;

  test("tell decided findings from open ones", async () => {
    const args = [
      "--report-sarif",
      "s.json",
      "--report-junit",
      "j.xml",
      "--report-codequality",
      "c.json",
      "--json",
    ];
    const result = await scan({ yaml, decisions: [DECISION], args });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ findingsDecided: 2 });
    const { results } = JSON.parse(await result.read("s.json")).runs[0];
    const ofRule = (id: string) => results.find(({ ruleId }: { ruleId: string }) => ruleId === id);
    expect(ofRule(RULE)).toMatchObject({
      suppressions: [
        { kind: "external", status: "accepted", justification: "known", properties: { until: "2999-03-01" } },
      ],
    });
    expect(ofRule("no-empty-servers")).toMatchObject({
      suppressions: [{ kind: "inSource", justification: "internal", properties: { decision: "wont_fix" } }],
    });
    const junit = await result.read("j.xml");
    expect(junit).toContain("accepted until 2999-03-01: known");
    expect(junit).toContain("won't fix until 2999-05-01: internal");
    expect(junit).toContain('failures="0"');
    expect(JSON.parse(await result.read("c.json"))).toEqual([]);
  });

  test("of JSON lines have the decision, and null for an open finding", async () => {
    const { stdout } = await scan({ yaml, decisions: [], args: ["--format", "jsonl"] });
    const findings = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "finding");
    const decisionOf = (code: string) => findings.find((finding) => finding.code === code).decision;
    expect(decisionOf(RULE)).toBeNull();
    expect(decisionOf("no-empty-servers")).toEqual({
      kind: "wont_fix",
      reason: "internal",
      until: "2999-05-01",
      source: "waymark.yaml",
    });
  });

  test("of a summary count decided findings", async () => {
    const { read } = await scan({ yaml, decisions: [DECISION], args: ["--summary", "s.md"] });
    expect((await read("s.md")).replaceAll("\\", "")).toContain(
      "Findings: 1 high, 1 medium: 1 accepted until 2999-03-01, 1 won't fix until 2999-05-01, 0 open\n",
    );
  });

  test("as JSON count the decisions of the server, without a gate, too", async () => {
    const { stdout } = await scan({ decisions: [DECISION], args: ["--json"] });
    expect(JSON.parse(stdout)).toMatchObject({ findingsDecided: 1 });
  });

  test.each([
    ["GitHub", { GITHUB_ACTIONS: "true" }, /^::(?:error|warning) .*$/gm],
    ["Azure", { TF_BUILD: "True" }, /^##vso\[task\.logissue .*$/gm],
  ])("beside the lines of code on %s leave decided findings out", async (_, env, annotation) => {
    const open = await scan({ decisions: [], args: [], env });
    expect(open.stderr.match(annotation)).toHaveLength(2);
    const decided = await scan({ yaml, decisions: [DECISION], args: [], env });
    expect(decided.stderr.match(annotation)).toBeNull();
  });
});
