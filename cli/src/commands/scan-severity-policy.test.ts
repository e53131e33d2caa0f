import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type FakeApiOptions, startFakeApi } from "../test-support/fake-api.ts";
import { answerJson } from "../test-support/fake-server.ts";
import { LINTED_SPEC } from "../test-support/linted-spec.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const PATH = "/api/severity-policy";

interface Setup extends FakeApiOptions {
  rules?: { code: string; severity: string }[];
  yaml?: string;
  spec?: string;
  args?: string[];
  target?: string[];
}

async function scan(setup: Setup = {}) {
  const {
    rules,
    yaml,
    spec = LINTED_SPEC,
    args = [],
    target = ["--service", "s", "--spec", "openapi.json"],
    ...api
  } = setup;
  const server = await startFakeApi({
    ...api,
    intercept: (request, response, raw) => {
      if (rules !== undefined && request.url === PATH) {
        answerJson(response, 200, { revision: 1, rules, updatedAt: null });
        return true;
      }
      return api.intercept?.(request, response, raw) === true;
    },
  });
  const folder = await temporaryFolder();
  await folder.write("openapi.json", spec);
  await folder.write("other.json", spec);
  if (yaml !== undefined) await folder.write("waymark.yaml", yaml);
  const result = await runCaptured(["scan", ...target, "--api-url", server.url, "--lint", ...args], {
    cwd: folder.path,
    env: { SERVICE_API_KEY: "k" },
  });
  const sent = server.requests
    .filter(({ url }) => url === "/api/scans/ingest")
    .map(({ body }) => (JSON.parse(body) as { findings: { code: string; severity: string }[] }).findings)
    .map((findings) => Object.fromEntries(findings.map(({ code, severity }) => [code, severity])));
  const asked = server.requests.filter(({ url }) => url === PATH).length;
  return { ...result, sent, asked, read: (name: string) => readFile(path.join(folder.path, name), "utf8") };
}

describe("the organization's severity policy", () => {
  test("gives findings their severities in the scan, in reports and for gates", async () => {
    const rules = [
      { code: "path-parameters-defined", severity: "low" },
      { code: "no-empty-servers", severity: "critical" },
    ];
    const result = await scan({ rules, args: ["--fail-on", "critical", "--report-sarif", "r.sarif"] });
    expect(result).toMatchObject({
      exitCode: 1,
      asked: 1,
      sent: [{ "no-empty-servers": "critical", "path-parameters-defined": "low" }],
    });
    // The gate can fail by the policy.
    expect(result.stderr).not.toContain("can't fail");
    const sarif = JSON.parse(await result.read("r.sarif"));
    expect(sarif.runs[0].results.map(({ level }: { level: string }) => level)).toEqual(["error", "note"]);
    const passed = await scan({ rules: rules.slice(0, 1), args: ["--fail-on", "high"] });
    expect(passed).toMatchObject({ exitCode: 0 });
  });

  test("leaves out findings of rules that are off, and the output says how many", async () => {
    const result = await scan({
      rules: [{ code: "path-parameters-defined", severity: "off" }],
      args: ["--fail-on", "high"],
    });
    expect(result).toMatchObject({ exitCode: 0, sent: [{ "no-empty-servers": "medium" }] });
    expect(result.stderr).toContain(
      "Note: 1 finding left out: the organization's severity policy turns their rules off.\n",
    );
  });

  test("is above waymark.yaml and --severity, and the output names what it overrules", async () => {
    const result = await scan({
      rules: [
        { code: "path-parameters-defined", severity: "critical" },
        { code: "no-empty-servers", severity: "low" },
      ],
      yaml: "severities: { path-parameters-defined: info, no-empty-servers: low }\n",
    });
    expect(result.sent).toEqual([{ "path-parameters-defined": "critical", "no-empty-servers": "low" }]);
    expect(result.stderr).toContain(
      "Note: the organization's severity policy overrules this scan's severities: path-parameters-defined is critical, not info.\n",
    );
  });

  test.each<[string, NonNullable<FakeApiOptions["intercept"]>]>([
    [
      "answers with an error",
      (request, response) => {
        if (request.url !== PATH) return false;
        answerJson(response, 503, { error: { code: "unavailable", message: "Down." } });
        return true;
      },
    ],
    ["does not answer", (request) => request.url === PATH],
    [
      "answers with something else",
      (request, response) => {
        if (request.url !== PATH) return false;
        answerJson(response, 200, { rules: [{ code: "path-parameters-defined", severity: "worst" }] });
        return true;
      },
    ],
  ])("changes nothing if the server %s, and the output says so, also with --quiet", async (_, intercept) => {
    const result = await scan({ intercept, args: ["--quiet"] });
    expect(result).toMatchObject({
      exitCode: 0,
      asked: 1,
      sent: [{ "path-parameters-defined": "high", "no-empty-servers": "medium" }],
    });
    expect(result.stderr).toContain(
      "Note: the organization's severity policy can't be read, so findings keep",
    );
  });

  test("is asked for once, only if there are findings, and never in a dry run", async () => {
    const many = await scan({ rules: [], target: ["--service-from", "file", "--spec", "*.json"] });
    expect(many).toMatchObject({ exitCode: 0, asked: 1, sent: { length: 2 } });
    const spec = JSON.parse(LINTED_SPEC);
    const fine = { ...spec, servers: [{ url: "https://api.test" }], paths: {} };
    expect(await scan({ rules: [], spec: JSON.stringify(fine) })).toMatchObject({ asked: 0, sent: [{}] });
    expect(await scan({ rules: [], args: ["--dry-run"] })).toMatchObject({ asked: 0 });
    const old = await scan();
    expect(old).toMatchObject({ exitCode: 0, asked: 1 });
    expect(old.stderr).not.toContain("policy");
  });
});

describe("rules that the repository turns off", () => {
  const OFF = "severities: { path-parameters-defined: off, info-license: off }\n";

  test("leave their findings out of the scan, reports and gates, and the output says which rules and how many", async () => {
    const result = await scan({ yaml: OFF, args: ["--fail-on", "high", "--report-sarif", "r.sarif"] });
    expect(result).toMatchObject({ exitCode: 0, sent: [{ "no-empty-servers": "medium" }] });
    expect(result.stderr).toContain(
      "Note: 2 rules are off by waymark.yaml: path-parameters-defined, info-license.\n",
    );
    expect(result.stderr).toContain("Note: 1 finding left out: this scan turns their rules off.\n");
    expect(await result.read("r.sarif")).not.toContain("path-parameters-defined");
    const dry = await scan({ yaml: OFF, args: ["--dry-run"] });
    expect(dry.stderr).toContain("Note: 2 rules are off by waymark.yaml");
    expect(dry.stderr).toContain("Note: 1 finding left out");
  });

  test("are turned off and on again by --severity", async () => {
    const off = await scan({ args: ["--severity", "no-empty-servers=off"] });
    expect(off.sent).toEqual([{ "path-parameters-defined": "high" }]);
    expect(off.stderr).toContain("Note: 1 rule is off by --severity: no-empty-servers.\n");
    const on = await scan({ yaml: OFF, args: ["--severity", "path-parameters-defined=low"] });
    expect(on.sent).toEqual([{ "path-parameters-defined": "low", "no-empty-servers": "medium" }]);
    expect(on.stderr).toContain("Note: 1 rule is off by waymark.yaml: info-license.\n");
  });

  test("have the severity that the organization gives them, and the output says so", async () => {
    const rules = [{ code: "path-parameters-defined", severity: "critical" }];
    const result = await scan({ yaml: OFF, rules, args: ["--fail-on", "critical"] });
    expect(result).toMatchObject({
      exitCode: 1,
      sent: [{ "path-parameters-defined": "critical", "no-empty-servers": "medium" }],
    });
    expect(result.stderr).toContain("path-parameters-defined is critical, not off.\n");
    expect(result.stderr).not.toContain("left out");
  });

  test("are none that says that findings are missing", async () => {
    for (const setup of [
      { yaml: "severities: { lint-failed: off }\n" },
      { args: ["--severity", "lint-failed=off"] },
    ])
      expect(await scan(setup)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("lint-failed can't be off in"),
        sent: [],
      });
    const wrong = await scan({ yaml: "severities: { info-license: none }\n" });
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("severities.info-license") });
  });
});
