import { readFile } from "node:fs/promises";
import path from "node:path";
import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { describe, expect, test } from "vitest";
import { type Answer, answerJson } from "../test-support/fake-server.ts";
import { temporaryFolder } from "../test-support/run-captured.ts";
import { BASE, CURRENT, GATE, NARROWED, scanContract } from "../test-support/scan-contract.ts";

describe("what a scan says about its contract", () => {
  const pullRequest = (folder: string) => ({
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: folder,
  });

  test("leads the summary, with the fingerprint of each change, and without what was not compared", async () => {
    const { exitCode, stderr, summary } = await scanContract({
      args: ["--no-promote", "--summary", "summary.md"],
    });
    expect(exitCode).toBe(0);
    expect(stderr).toBe(`Note: compared with run ${CURRENT}: 1 change breaks clients.\n`);
    const text = await summary();
    expect(text).toMatch(
      /^### Waymark scan of locks\n\n\*\*1 change breaks clients\*\*\n\n#### Breaks clients: 1 change\n\n- \*\*PUT .*fingerprint `[0-9a-f]{32}`\n/,
    );
    expect(text).not.toContain("No endpoint was removed");
    expect(text).not.toContain("were not compared");
  });

  test("is an annotation at the changed line, also of a part that is gone and of another file", async () => {
    const head = BASE.replace(/ {16}state: .*\n/, "                name: { $ref: 'parts.yaml#/Name' }\n");
    const base =
      `${BASE}      x-kept: true\n  /gone: { get: { responses: { "200": { description: d } } } }\n`.replace(
        "enum: [open, closed] }",
        "enum: [open, closed] }\n                name: { type: string }",
      );
    const files = { "parts.yaml": "# A comment.\nName:\n  type: string\n  maxLength: 3\n" };
    const folder = await temporaryFolder();
    const { stderr } = await scanContract({ head, base, files, args: GATE, env: pullRequest(folder.path) });
    const lines = stderr.split("\n").filter((line) => line.startsWith("::"));
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=[^,]*api\.yaml,line=3,col=1,title=operation-removed::GET \/gone/),
      expect.stringMatching(/^::error file=[^,]*parts\.yaml,line=4,col=3,title=request-max-length-\w+::PUT /),
      expect.stringMatching(
        /^::warning file=[^,]*api\.yaml,line=1[23],col=\d+,title=request-property-removed::PUT /,
      ),
    ]);
  });

  test("is an issue of the job at the changed line on Azure Pipelines", async () => {
    const { stderr, folder } = await scanContract({ args: GATE, env: { TF_BUILD: "True" } });
    expect(stderr.split("\n").filter((line) => line.startsWith("##vso["))).toEqual([
      expect.stringContaining(
        `##vso[task.logissue type=error;sourcepath=${path.join(folder.path, "api.yaml")};linenumber=14;columnnumber=`,
      ),
    ]);
  });

  test("is in the reports, without linting", async () => {
    const args = [...GATE, "--report-codequality", "quality.json", "--report-junit", "-"];
    const { stdout, folder } = await scanContract({ args });
    const quality = JSON.parse(await readFile(path.join(folder.path, "quality.json"), "utf8"));
    expect(quality).toEqual([
      {
        description: expect.stringContaining("PUT /locks/{id}: The property"),
        check_name: "request-enum-value-removed",
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
        severity: "critical",
        location: { path: "api.yaml", lines: { begin: 14 } },
      },
    ]);
    expect(stdout).toMatch(/<testsuite [^>]*name="waymark contract"[^>]* failures="1"/);
    expect(stdout).not.toContain("waymark lint");
  });

  test("is in the JSON, with verdicts", async () => {
    const result = JSON.parse((await scanContract({ args: [...GATE, "--json"] })).stdout);
    expect(result).toMatchObject({
      exitCode: 1,
      brokenGates: [{ gate: "--fail-on breaking" }],
      comparison: {
        status: "compared",
        reason: null,
        against: CURRENT,
        counts: { breaking: 1, maybe: 0, safe: 0, accepted: 0 },
        notCompared: [],
      },
      verdicts: [{ id: "request-enum-value-removed", head: { file: "api.yaml", line: 14 } }],
    });
    expect(JSON.parse((await scanContract({ args: ["--json"] })).stdout)).not.toHaveProperty("comparison");
  });

  test("has a line for each verdict among JSON lines", async () => {
    const { stdout } = await scanContract({ args: [...GATE, "--format", "jsonl"] });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(["verdict", "result"]);
    expect(lines[0]).toMatchObject({ id: "request-enum-value-removed", level: "breaking" });
    expect(lines[1]).not.toHaveProperty("verdicts");
  });

  test("is listed on a terminal", async () => {
    const { stderr } = await scanContract({ args: GATE, terminal: true });
    expect(stderr).toMatch(/^Breaks clients: 1 change\n {2}PUT \/locks\/\{id\}\n/m);
  });

  test("is nothing where nobody asked for it", async () => {
    const { stderr, server } = await scanContract({});
    expect(stderr).toBe("");
    expect(server.requests.map(({ url }) => url)).toEqual(["/api/scans/ingest"]);
  });
});

describe("the changes that a scan finds", () => {
  test.each<[string, string, Record<string, string>, string[]]>([
    ["of one file", NARROWED, {}, []],
    [
      "of several files",
      "openapi: 3.0.3\ninfo: { title: L, version: '1' }\npaths: { '/locks/{id}': { $ref: 'paths/lock.yaml' } }\n",
      {
        "paths/lock.yaml":
          "put:\n  requestBody: { content: { application/json: { schema: { $ref: '../parts.yaml#/components/schemas/Lock' } } } }\n  responses: { '200': { description: d } }\n",
        "parts.yaml":
          "components: { schemas: { Lock: { type: object, required: [owner], properties: { state: { type: string, enum: [open] } } } } }\n",
      },
      [],
    ],
    [
      "of selected operations",
      `${NARROWED}  /other:\n    get: { tags: [x], responses: { "200": { $ref: "#/components/responses/Gone" } } }\n`,
      {},
      ["--include-path", "/locks/**"],
    ],
  ])("have the fingerprints that the server finds: %s", async (_, head, files, args) => {
    const base = `${BASE}  /gone: { get: { responses: { "200": { description: d } } } }\n`;
    const sent: string[] = [];
    const describeRun: Answer = ({ method, body }, response) => {
      if (method === "GET") response.writeHead(200, { "content-type": "application/yaml" }).end(base);
      else if (body === "")
        answerJson(response, 409, { error: { code: "description_unknown", message: "m" } });
      else {
        sent.push(body);
        answerJson(response, 201, {});
      }
    };
    const { stdout } = await scanContract({
      head,
      files,
      args: [...GATE, "--json", ...args],
      api: { describeRun },
    });
    const load = (text: string | undefined) => loadDescription({ text: text ?? "", name: "stored" });
    const stored = compareContracts(await load(base), await load(sent[0]), { today: "2026-01-01" });
    const found: { fingerprint: string }[] = JSON.parse(stdout).verdicts;
    expect(found.length).toBeGreaterThan(1);
    expect(found.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(
      stored.verdicts.map(({ fingerprint }) => fingerprint).toSorted(),
    );
  });

  test("lead the one summary of many services: those whose clients break come first", async () => {
    const { summary } = await scanContract({
      files: { "a/openapi.yaml": BASE, "b/openapi.yaml": NARROWED, "c/openapi.yaml": BASE },
      args: ["--spec", "*/openapi.yaml", "--service-from", "file", "--summary", "summary.md"],
    });
    const text = await summary();
    expect(text).toMatch(/^\*\*Changes break clients of 1 of 3 services:\*\* b\n\n### Waymark scan of b\n/);
    expect(text.match(/### Waymark scan of \w/g)?.map((heading) => heading.at(-1))).toEqual(["b", "a", "c"]);
  });

  test("are those of each of many services", async () => {
    const { exitCode, stderr, stdout, server } = await scanContract({
      files: { "a/openapi.yaml": NARROWED, "b/openapi.yaml": BASE },
      args: ["--spec", "*/openapi.yaml", "--service-from", "file", "--json", ...GATE],
    });
    expect(exitCode).toBe(1);
    expect(server.requests.filter(({ url }) => url.endsWith("/promote"))).toHaveLength(1);
    expect(stderr).toContain("(a/openapi.yaml:14)");
    const results = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(results.map(({ service, comparison }) => [service, comparison.counts.breaking])).toEqual([
      ["a", 1],
      ["b", 0],
    ]);
  });
});
