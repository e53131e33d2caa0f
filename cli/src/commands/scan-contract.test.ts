import { readFile } from "node:fs/promises";
import path from "node:path";
import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { describe, expect, test } from "vitest";
import { type FakeApiOptions, NO_CHANGES, startFakeApi } from "../test-support/fake-api.ts";
import { type Answer, answerJson, RUN_ID } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const CURRENT = NO_CHANGES.against;
const BASE = `openapi: 3.0.3
info: { title: Locks, version: "1" }
paths:
  /locks/{id}:
    put:
      operationId: writeLock
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                state: { type: string, enum: [open, closed] }
      responses: { "200": { description: d } }
`;
const NARROWED = BASE.replace("[open, closed]", "[open]");
const GATE = ["--fail-on", "breaking"];

interface Scanned {
  head?: string;
  files?: Record<string, string>;
  args?: string[];
  env?: Record<string, string>;
  api?: FakeApiOptions;
  base?: string;
  terminal?: boolean;
}

/** Scans a description of which the current run has another one. */
async function scan({
  head = NARROWED,
  files = {},
  args = [],
  env = {},
  api = {},
  base = BASE,
  terminal = false,
}: Scanned) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ "api.yaml": head, ...files })) await folder.write(name, text);
  const server = await startFakeApi({
    current: { scanRunId: CURRENT, description: base },
    approvals: [],
    ...api,
  });
  const named = args.includes("--service-from") ? [] : ["--service", "locks", "--spec", "api.yaml"];
  const result = await runCaptured(
    ["scan", ...named, "--promote", "--api-key", "k", "--api-url", server.url, ...args],
    { cwd: folder.path, env, terminal, times: { attemptsMax: 1, attemptMs: 2_000, checkMs: 500 } },
  );
  const summary = () => readFile(path.join(folder.path, "summary.md"), "utf8");
  const isPromoted = [...server.runs.values()].map(({ promoted }) => promoted);
  return { ...result, server, folder, summary, isPromoted };
}

describe("waymark scan --fail-on breaking", () => {
  test("compares before the scan is sent, stores the scan, and does not promote it", async () => {
    const { exitCode, stdout, stderr, server, isPromoted } = await scan({ args: GATE });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 1, isPromoted: [false] });
    expect(stdout).toContain("Scan ingested: ");
    expect(stderr).toBe(
      `Note: compared with run ${CURRENT}: 1 change breaks clients.\n` +
        "Gate --fail-on breaking failed, the run did not become current:\n" +
        '  PUT /locks/{id}: The property "state" no longer allows "closed": requests that were valid are refused. (api.yaml:14)\n' +
        `Note: an intended change can be approved, so that it passes: waymark approve ${RUN_ID} lists the changes.\n`,
    );
    const order = server.requests.map(({ url }) => url.split("?")[0]);
    expect(order.indexOf("/api/services")).toBeLessThan(order.indexOf("/api/scans/ingest"));
    expect(server.descriptions[0]).toMatchObject({ method: "GET", headers: { authorization: "Bearer k" } });
  });

  test("promotes a scan that breaks nobody", async () => {
    const { exitCode, stderr, isPromoted } = await scan({ head: BASE, args: GATE });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 0, isPromoted: [true] });
    expect(stderr).toBe(
      `Note: compared with run ${CURRENT}: No change that breaks clients was found in 1 operation.\n`,
    );
  });

  test("is set by waymark.yaml, too, with a team's levels and exceptions", async () => {
    const contract = (more: string) => ({ "waymark.yaml": `contract: { failOn: breaking${more} }\n` });
    expect(await scan({ files: contract("") })).toMatchObject({ exitCode: 1 });
    const level = contract(", levels: { request-enum-value-removed: safe }");
    expect(await scan({ files: level })).toMatchObject({ exitCode: 0, isPromoted: [true] });
    const ignored = contract(", ignores: [{ id: request-enum-value-removed, reason: agreed }]");
    const { exitCode, stderr } = await scan({ files: ignored });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("1 change with an exception");
  });

  test("fails if another run became current since the comparison", async () => {
    const other = CURRENT.replace(/a$/, "b");
    let isSent = false;
    const intercept: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
      isSent ||= url === "/api/scans/ingest";
      if (!isSent || !url.startsWith("/api/services?")) return false;
      answerJson(response, 200, { services: [{ id: CURRENT, name: "locks", currentScanRunId: other }] });
      return true;
    };
    const { exitCode, stderr, isPromoted } = await scan({ head: BASE, args: GATE, api: { intercept } });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 1, isPromoted: [false] });
    expect(stderr).toContain(
      `not compared: the run ${other} became current while this scan was sent. Scan again.`,
    );
    isSent = false;
    const held = await scan({ head: BASE, args: [...GATE, "--no-promote"], api: { intercept } });
    expect(held.exitCode).toBe(0);
  });

  test("is one of several gates", async () => {
    const { exitCode, stderr } = await scan({ args: [...GATE, "--fail-on", "info"] });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Gate --fail-on breaking failed");
    expect(stderr).toContain("Gate --fail-on info failed");
    expect(await scan({ args: [...GATE, "--fail-on", "maybe"] })).toMatchObject({ exitCode: 2 });
  });

  const endpoint = (locksPath: string) => ({
    method: "PUT" as const,
    path: locksPath,
    operationId: "writeLock",
    tags: [],
    summary: null,
  });
  const moved = (before: string, after: string) => ({
    against: CURRENT,
    endpoints: { added: [endpoint(after)], removed: [endpoint(before)], changed: [] },
  });
  test.each([
    [
      "a renamed path parameter",
      BASE,
      BASE.replace("{id}", "{lock}").replace("name: id", "name: lock"),
      moved("/locks/{id}", "/locks/{lock}"),
      0,
    ],
    [
      "a base path that moves into the paths",
      `servers: [{ url: /v1 }]\n${BASE}`,
      BASE.replace("/locks/{id}", "/v1/locks/{id}"),
      moved("/locks/{id}", "/v1/locks/{id}"),
      0,
    ],
    ["another base path", `servers: [{ url: /v1 }]\n${BASE}`, `servers: [{ url: /v2 }]\n${BASE}`, {}, 1],
    [
      "a removed endpoint",
      BASE,
      BASE.replace("/locks/{id}", "/doors/{id}"),
      moved("/locks/{id}", "/doors/{id}"),
      1,
    ],
  ])("agrees with --fail-on-removed: %s", async (_, base, head, changes, exitCode) => {
    const args = [...GATE, "--fail-on-removed"];
    const both = await scan({ base, head, args, api: { changes } });
    expect({ exitCode: both.exitCode, isPromoted: both.isPromoted }).toEqual({
      exitCode,
      isPromoted: [exitCode === 0],
    });
    expect(both.stderr.includes("Gate --fail-on breaking failed")).toBe(exitCode === 1);
    expect(both.stderr.includes("Gate --fail-on-removed failed")).toBe(exitCode === 1);
  });
});

describe("an approved change", () => {
  const approvalOf = (fingerprint: string, until: string | null = null) => ({
    fingerprint,
    state: "open",
    reason: "agreed *with* all",
    until,
    approvedBy: CURRENT,
    approvedAt: "2026-01-01T00:00:00Z",
  });
  async function fingerprintOf(head: string): Promise<string> {
    const { stdout } = await scan({ head, args: [...GATE, "--json"] });
    return JSON.parse(stdout).verdicts[0].fingerprint;
  }

  test("passes the gate, and is shown with its approval", async () => {
    const fingerprint = await fingerprintOf(NARROWED);
    const { exitCode, stderr, stdout, summary, isPromoted, server } = await scan({
      args: [...GATE, "--json", "--summary", "summary.md"],
      api: { approvals: [approvalOf(fingerprint, "2099-12-31")] },
    });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 0, isPromoted: [true] });
    expect(stderr).toContain("No change that breaks clients was found in 1 operation; 1 change approved.");
    expect(await summary()).toContain(
      String.raw`approved by the key ${CURRENT} until 2099-12-31\: agreed \*with\* all`,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      comparison: { counts: { breaking: 0, accepted: 1 } },
      verdicts: [{ fingerprint, approval: { reason: "agreed *with* all", until: "2099-12-31" } }],
    });
    const asked = server.requests.find(({ url }) => url.includes("/change-approvals"));
    expect(asked?.url).toContain("state=open");
  });

  test("lets no other change pass", async () => {
    const approvals = [approvalOf("0".repeat(32))];
    expect(await scan({ args: GATE, api: { approvals } })).toMatchObject({
      exitCode: 1,
      isPromoted: [false],
    });
  });

  test("is no removed endpoint for --fail-on-removed", async () => {
    const head = BASE.replace("/locks/{id}", "/doors/{id}");
    const { stdout } = await scan({ head, args: [...GATE, "--json"] });
    const verdicts: { id: string; level: string; fingerprint: string }[] = JSON.parse(stdout).verdicts;
    const approvals = verdicts
      .filter(({ level }) => level === "breaking")
      .map(({ fingerprint }) => approvalOf(fingerprint));
    const removed = {
      method: "PUT" as const,
      path: "/locks/{id}",
      operationId: "writeLock",
      tags: [],
      summary: null,
    };
    const changes = { against: CURRENT, endpoints: { added: [], removed: [removed], changed: [] } };
    expect(
      await scan({ head, args: [...GATE, "--fail-on-removed"], api: { approvals, changes } }),
    ).toMatchObject({
      exitCode: 0,
      isPromoted: [true],
    });
  });

  test("counts where the approvals can't be read, and the reason is said", async () => {
    const intercept: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
      if (!url.includes("/change-approvals")) return false;
      answerJson(response, 404, { error: { code: "not_found", message: "no route" } });
      return true;
    };
    const { exitCode, stderr } = await scan({ args: GATE, api: { intercept } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "Note: approved changes count, too, because reading the approvals failed: HTTP 404",
    );
  });
});

describe("what a scan says about its contract", () => {
  const pullRequest = (folder: string) => ({
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: folder,
  });

  test("leads the summary, with the fingerprint of each change, and without what was not compared", async () => {
    const { exitCode, stderr, summary } = await scan({ args: ["--no-promote", "--summary", "summary.md"] });
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
    const { stderr } = await scan({ head, base, files, args: GATE, env: pullRequest(folder.path) });
    const lines = stderr.split("\n").filter((line) => line.startsWith("::"));
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=[^,]*api\.yaml,line=3,col=1,title=operation-removed::GET \/gone/),
      expect.stringMatching(/^::error file=[^,]*parts\.yaml,line=4,col=3,title=request-max-length-\w+::PUT /),
      expect.stringMatching(
        /^::warning file=[^,]*api\.yaml,line=1[23],col=\d+,title=request-property-removed::PUT /,
      ),
    ]);
  });

  test("is in the reports, without linting", async () => {
    const args = [...GATE, "--report-codequality", "quality.json", "--report-junit", "-"];
    const { stdout, folder } = await scan({ args });
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
    const result = JSON.parse((await scan({ args: [...GATE, "--json"] })).stdout);
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
    expect(JSON.parse((await scan({ args: ["--json"] })).stdout)).not.toHaveProperty("comparison");
  });

  test("has a line for each verdict among JSON lines", async () => {
    const { stdout } = await scan({ args: [...GATE, "--format", "jsonl"] });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(["verdict", "result"]);
    expect(lines[0]).toMatchObject({ id: "request-enum-value-removed", level: "breaking" });
    expect(lines[1]).not.toHaveProperty("verdicts");
  });

  test("is listed on a terminal", async () => {
    const { stderr } = await scan({ args: GATE, terminal: true });
    expect(stderr).toMatch(/^Breaks clients: 1 change\n {2}PUT \/locks\/\{id\}\n/m);
  });

  test("is nothing where nobody asked for it", async () => {
    const { stderr, server } = await scan({});
    expect(stderr).toBe("");
    expect(server.requests.map(({ url }) => url)).toEqual(["/api/scans/ingest"]);
  });
});

describe("a scan that can't be compared", () => {
  const refused =
    (status: number, code: string): NonNullable<FakeApiOptions["intercept"]> =>
    (request, response) => {
      if (!request.url.startsWith("/api/services")) return false;
      answerJson(response, status, { error: { code, message: "It is so." } });
      return true;
    };
  const silent: NonNullable<FakeApiOptions["intercept"]> = ({ url }) => url.startsWith("/api/services");
  const current = (description: string) => ({ current: { scanRunId: CURRENT, description } });

  test.each<[string, FakeApiOptions, RegExp]>([
    [
      "whose current run has no description",
      current("missing"),
      /its current run \S+ has no stored description\. Scan the description that is current once more/,
    ],
    [
      "on a server without descriptions",
      { current: { scanRunId: CURRENT.replace(/a$/, "b"), description: "missing" }, intercept: namesRun },
      /http:\S+ stores no descriptions: update the server\./,
    ],
    [
      "with a key that may not read",
      { intercept: refused(403, "permission_denied") },
      /It is so\. Give the key services:read and endpoints:read for this service\./,
    ],
    ["with a fault of the server", { intercept: refused(500, "internal_error") }, /HTTP 500 internal_error/],
    ["of a server that does not answer", { intercept: silent }, /no complete response within/],
    ["whose current description can't be read", current("{"), /run \S+:1:\d+ is neither JSON nor YAML/],
    ["whose current description is no description", current("[1]"), /run \S+ is not an OpenAPI description/],
  ])("fails the gate, and only that: %s", async (_, api, message) => {
    const gated = await scan({ args: GATE, api });
    expect(gated).toMatchObject({ exitCode: 1, isPromoted: [false] });
    expect(gated.stderr).toMatch(
      /^Gate --fail-on breaking failed, the run did not become current:\n {2}not compared: /m,
    );
    expect(gated.stderr).toMatch(message);
    const { exitCode, isPromoted, stderr, summary } = await scan({
      args: ["--summary", "summary.md", "--json"],
      api,
    });
    expect({ exitCode, isPromoted }).toEqual({ exitCode: 0, isPromoted: [true] });
    expect(stderr).toMatch(/^Note: what breaks clients was not compared: .*\n$/);
    expect(stderr).toMatch(message);
    expect(await summary()).toContain(
      "**Not compared, so that nothing is known about what breaks clients:**",
    );
  });

  test("passes the gate where there is no current run, and says so", async () => {
    const api = { current: undefined };
    const gated = await scan({ args: [...GATE, "--json", "--summary", "summary.md"], api });
    expect(gated).toMatchObject({ exitCode: 0, isPromoted: [true] });
    expect(gated.stderr).toBe(
      'Note: --fail-on breaking has nothing to count: the service "locks" has no current run, so there is nothing to compare with.\n',
    );
    expect(JSON.parse(gated.stdout)).toMatchObject({
      comparison: { status: "not_compared", reason: "no_base", counts: null },
      verdicts: null,
    });
    expect(await gated.summary()).toContain("**Nothing to compare with:**");
  });

  test("is not sent with a gate that its key can't have", async () => {
    const permissions = ["scans:create", "services:update", "services:read", "endpoints:write"];
    const { exitCode, stderr, server } = await scan({ args: GATE, api: { permissions } });
    expect(exitCode).toBe(3);
    expect(stderr).toContain("endpoints:read");
    expect(server.runs.size).toBe(0);
  });

  test("is noted in a dry run, and where its description is not stored", async () => {
    const dry = await scan({ args: [...GATE, "--dry-run"] });
    expect(dry).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("a dry run can't evaluate it"),
    });
    expect(dry.server.requests).toEqual([]);
    const bare = await scan({ head: BASE, args: [...GATE, "--no-description"] });
    expect(bare).toMatchObject({ exitCode: 0 });
    expect(bare.stderr).toContain("the next scan can't be compared with this one");
  });

  test("is not kept in the spool with its gate, and says so", async () => {
    const intercept: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
      if (url !== "/api/scans/ingest") return false;
      response.destroy();
      return true;
    };
    const { exitCode, stderr } = await scan({ args: [...GATE, "--spool", "kept"], api: { intercept } });
    expect(exitCode).toBe(4);
    expect(stderr).toContain("A scan with gates is not kept");
  });
});

/** A server whose service has a current run, of which the server has no description route. */
const namesRun: NonNullable<FakeApiOptions["intercept"]> = ({ url }, response) => {
  if (!url.startsWith("/api/services")) return false;
  const name = new URL(url, "http://api").searchParams.get("name");
  answerJson(response, 200, { services: [{ id: CURRENT, name, currentScanRunId: CURRENT }] });
  return true;
};

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
    const { stdout } = await scan({ head, files, args: [...GATE, "--json", ...args], api: { describeRun } });
    const load = (text: string | undefined) => loadDescription({ text: text ?? "", name: "stored" });
    const stored = compareContracts(await load(base), await load(sent[0]), { today: "2026-01-01" });
    const found: { fingerprint: string }[] = JSON.parse(stdout).verdicts;
    expect(found.length).toBeGreaterThan(1);
    expect(found.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(
      stored.verdicts.map(({ fingerprint }) => fingerprint).toSorted(),
    );
  });

  test("lead the one summary of many services: those whose clients break come first", async () => {
    const { summary } = await scan({
      files: { "a/openapi.yaml": BASE, "b/openapi.yaml": NARROWED, "c/openapi.yaml": BASE },
      args: ["--spec", "*/openapi.yaml", "--service-from", "file", "--summary", "summary.md"],
    });
    const text = await summary();
    expect(text).toMatch(/^\*\*Changes break clients of 1 of 3 services:\*\* b\n\n### Waymark scan of b\n/);
    expect(text.match(/### Waymark scan of \w/g)?.map((heading) => heading.at(-1))).toEqual(["b", "a", "c"]);
  });

  test("are those of each of many services", async () => {
    const { exitCode, stderr, stdout, server } = await scan({
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
