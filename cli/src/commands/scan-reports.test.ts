import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DOMParser } from "@xmldom/xmldom";
import { answerJson, RUN_ID } from "../test-support/fake-server.ts";
import { startFakeApi } from "../test-support/fake-api.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{}}}}';
const base = ["scan", "--service", "s", "--spec", "openapi.json"];
const asCurrent = [...base, "--promote"];

async function project(files: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  await folder.write("openapi.json", SPEC);
  for (const [name, content] of Object.entries(files)) await folder.write(name, content);
  return folder;
}

describe("a scan that is stored", () => {
  test("is reported and ends with 0 if the summary of the job can't be written", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project();
    const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: path.join(cwd, "missing/summary.md") };
    const result = await runCaptured([...asCurrent, "--api-key", "k", "--api-url", server.url], { cwd, env });
    expect(result).toEqual({
      exitCode: 0,
      stdout: `Scan ingested: ${RUN_ID}\nResult URL: ${server.url}/scan-runs/${RUN_ID}\nEndpoints: 1; findings: 0\n`,
      stderr: "Note: the summary can't be written: there is no such file.\n",
    });
  });

  test("is reported and ends with 0 if the outputs of the step can't be written", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project();
    const env = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: path.join(cwd, "missing/output") };
    const result = await runCaptured([...asCurrent, "--api-key", "k", "--api-url", server.url], { cwd, env });
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Scan ingested: ") });
    expect(result.stderr).toBe("Note: the outputs of the step can't be written: there is no such file.\n");
  });

  test("is reported on standard error if standard output can't be written, which is a failure", async () => {
    const server = await startFakeApi();
    const folder = await project();
    const main = path.resolve(import.meta.dirname, "../main.ts");
    // A file opened for reading refuses writes, like a full disk.
    const output = await open(path.join(folder.path, "openapi.json"), "r");
    onTestFinished(() => output.close());
    const child = spawn(process.execPath, [main, ...base, "--api-key", "k", "--api-url", server.url], {
      cwd: folder.path,
      env: {},
      stdio: ["ignore", output.fd, "pipe"],
    });
    let stderr = "";
    child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = await once(child, "close");
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining(`Scan ingested: ${RUN_ID}\n`),
    });
    expect(stderr.match(/Can't write to standard output: /g)).toHaveLength(1);
  });

  test("is in the JSON object even if a later step fails", async () => {
    const server = await startFakeApi({
      intercept: (request, response) => {
        if (!request.url.includes("/changes")) return false;
        answerJson(response, 403, { error: { code: "permission_denied", message: "No." } });
        return true;
      },
    });
    const { path: cwd } = await project();
    const args = [...base, "--api-key", "k", "--api-url", server.url, "--fail-on-removed", "--json"];
    const { exitCode, stdout } = await runCaptured(args, { cwd });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      exitCode: 3,
      scanRunId: RUN_ID,
      resultUrl: `${server.url}/scan-runs/${RUN_ID}`,
      error: { message: expect.stringContaining("permission_denied") },
    });
  });
});

describe("the summary of a job", () => {
  const added = { method: "GET" as const, path: "/new|", operationId: null, tags: [], summary: null };
  const gone = { ...added, path: "/gone" };
  const changes = {
    endpoints: { added: [added], removed: [gone], changed: [] },
    findings: {
      new: [{ code: "c", severity: "high" as const, message: "m", method: null, path: null }],
      fixed: [],
      removedWithEndpoint: [
        { code: "c", severity: "low" as const, message: "m", method: "GET" as const, path: "/gone" },
      ],
      severityChanged: [],
    },
  };

  async function summarize(options: Parameters<typeof startFakeApi>[0], args: string[] = []) {
    const server = await startFakeApi({ changes, ...options });
    const { path: cwd } = await project();
    const file = path.join(cwd, "summary.md");
    const env = { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "pull_request", GITHUB_STEP_SUMMARY: file };
    const result = await runCaptured([...base, "--api-key", "k", "--api-url", server.url, ...args], {
      cwd,
      env,
    });
    return { ...result, summary: await readFile(file, "utf8"), server };
  }

  test("of a pull request compares with the current run, also before the run is completed", async () => {
    const { summary, exitCode } = await summarize({ statuses: ["accepted", "completed"] });
    expect(exitCode).toBe(0);
    expect(summary).toContain(
      "\n\nCompared with the service's current run:\n\n**Breaks clients: 1 change**\n\n- GET /gone was removed\n",
    );
    expect(summary).toContain(
      "\nEndpoints: 1 added, 1 removed, 0 changed\n\n- removed\\: GET /gone\n- added\\: GET /new\\|\n",
    );
    expect(summary).toContain(
      "\nFindings: 1 new, 0 fixed, 1 removed with its endpoint\n\n- new\\: high c\\: m\n- removed\\: low c at GET /gone\\: m, with its endpoint\n",
    );
  });

  test("has no comparison if there is no current run, or if the run becomes current", async () => {
    expect((await summarize({ changes: { ...changes, against: null } })).summary).not.toContain("Compared");
    const promoted = await summarize({}, ["--promote"]);
    expect(promoted.summary).not.toContain("Compared");
    // The contract is compared before the scan is sent; the run is not asked for afterwards.
    expect(promoted.server.requests.map(({ method, url }) => `${method} ${url.split("?")[0]}`)).toEqual([
      "GET /api/services",
      "POST /api/scans/ingest",
    ]);
  });

  test("is also added to the file of --summary, in any CI system", async () => {
    const server = await startFakeApi({ changes });
    const folder = await project({ "out.md": "Before.\n" });
    const args = [...base, "--api-key", "k", "--api-url", server.url, "--summary", "out.md"];
    await runCaptured(args, { cwd: folder.path, env: { CI_MERGE_REQUEST_IID: "7" } });
    expect(await readFile(path.join(folder.path, "out.md"), "utf8")).toMatch(
      /^Before\.\n### Waymark scan of s\n[^]*\*\*Breaks clients: 1 change\*\*/,
    );
    const refused = await runCaptured([...args, "--summary", "missing/out.md"], { cwd: folder.path });
    expect(refused).toMatchObject({
      exitCode: 0,
      stderr: "Note: the summary can't be written: there is no such file.\n",
    });
  });

  test("says why there is no comparison, and the scan succeeds", async () => {
    const result = await summarize({
      intercept: (request, response) => {
        if (!request.url.includes("/changes")) return false;
        answerJson(response, 403, { error: { code: "permission_denied", message: "No." } });
        return true;
      },
    });
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(
      "Note: the summary has no comparison: comparing the scan run failed: HTTP 403",
    );
    expect(result.summary).toContain(RUN_ID);
  });
});

describe("on a terminal", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`/p${i}/{id}`, { get: {} }]));
  const spec = JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths: many }, null, 2);

  test("the findings of --lint are listed by file, with line and column, at most twenty", async () => {
    const folder = await project({ "openapi.json": spec });
    const options = { cwd: folder.path, terminal: true };
    const { stderr } = await runCaptured([...base, "--dry-run", "--lint"], options);
    const lines = stderr.split("\n").filter((line) => line !== "Linting…");
    expect(lines[0]).toBe("openapi.json");
    expect(lines[1]).toMatch(/^ {2}\d+:\d+ +high +[\w-]+: /);
    expect(lines.filter((line) => /^ {2}\d/.test(line))).toHaveLength(20);
    expect(stderr).toMatch(
      /\n {2}… and \d+ more: --report-sarif has all\nFindings: \d+ high, \d+ medium, \d+ info\n$/,
    );
    const quiet = await runCaptured([...base, "--dry-run", "--lint", "--quiet"], options);
    expect(quiet).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("the changes that a gate compares are listed", async () => {
    const removed = [{ method: "GET" as const, path: "/gone", operationId: null, tags: [], summary: null }];
    const empty = { new: [], fixed: [], removedWithEndpoint: [], severityChanged: [] };
    const server = await startFakeApi({
      changes: { endpoints: { added: [], removed, changed: [] }, findings: empty },
    });
    const { path: cwd } = await project();
    const args = [...base, "--api-key", "k", "--api-url", server.url, "--fail-on-removed"];
    const { stderr } = await runCaptured(args, { cwd, terminal: true });
    expect(stderr).toContain(
      "Endpoints: 0 added, 1 removed, 0 changed\n  removed  GET /gone\nBreaks clients: 1 change\n  GET /gone was removed\n" +
        "Parameters, bodies and responses were not compared.\n",
    );
  });

  test("a gate on findings shows their positions", async () => {
    const folder = await project({ "openapi.json": spec });
    const { stderr } = await runCaptured([...base, "--dry-run", "--fail-on", "high"], { cwd: folder.path });
    expect(stderr).toMatch(/^ {2}high path-parameters-defined at GET .* \(openapi\.json:\d+\)$/m);
  });
});

describe("reports", () => {
  test("--report-sarif has every finding with its line, relative to the working directory", async () => {
    const { path: cwd } = await project({
      "api/spec.yaml": "openapi: 3.1.0\ninfo:\n  title: T\n  version: '1'\npaths:\n  /a/{id}:\n    get: {}\n",
    });
    const args = [
      "scan",
      "--service",
      "s",
      "--spec",
      "api/spec.yaml",
      "--dry-run",
      "--lint",
      "--report-sarif",
      "out.sarif",
    ];
    expect(await runCaptured(args, { cwd })).toMatchObject({ exitCode: 0 });
    const { version, runs } = JSON.parse(await readFile(path.join(cwd, "out.sarif"), "utf8"));
    expect(version).toBe("2.1.0");
    const result = runs[0].results.find(
      ({ ruleId }: { ruleId: string }) => ruleId === "path-parameters-defined",
    );
    expect(result.level).toBe("error");
    expect(result.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "api/spec.yaml" },
      region: { startLine: 7, startColumn: expect.any(Number) },
    });
    expect(runs[0].tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
  });

  test("- writes it to standard output, and the three lines to standard error", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project();
    const args = [...base, "--api-key", "k", "--api-url", server.url, "--lint", "--report-sarif", "-"];
    const { stdout, stderr } = await runCaptured(args, { cwd });
    expect(JSON.parse(stdout).version).toBe("2.1.0");
    expect(stderr).toMatch(/^Scan ingested: .*\nResult URL: .*\nEndpoints: .*\n$/);
    expect(await readdir(cwd)).toEqual(["openapi.json"]);
    const both = await runCaptured([...args, "--json"], { cwd });
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("not both") });
  });

  test.each([
    ["the workspace of the job", { GITHUB_WORKSPACE: "." }, "services/orders/api.json"],
    ["a checkout inside the workspace", { GITHUB_WORKSPACE: ".", git: "services" }, "orders/api.json"],
    ["the repository around the description", { git: "." }, "services/orders/api.json"],
    ["the working directory, outside of a repository", {}, "api.json"],
  ])("paths are relative to %s", async (_, { GITHUB_WORKSPACE, git }: Record<string, string>, expected) => {
    const folder = await temporaryFolder();
    await folder.write("services/orders/api.json", SPEC);
    if (git !== undefined) await folder.write(path.join(git, ".git/HEAD"), "");
    const env = {
      GITHUB_ACTIONS: "true",
      ...(GITHUB_WORKSPACE !== undefined && { GITHUB_WORKSPACE: folder.path }),
    };
    const args = [
      "scan",
      "--service",
      "s",
      "--spec",
      "api.json",
      "--dry-run",
      "--lint",
      "--report-sarif",
      "-",
    ];
    const cwd = path.join(folder.path, "services/orders");
    const { stdout, stderr } = await runCaptured(args, { cwd, env });
    const { runs } = JSON.parse(stdout);
    expect(runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(expected);
    expect(stderr).toMatch(new RegExp(`^::error file=${expected.replaceAll("/", "\\/")},line=`, "m"));
  });

  const faulty = {
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: { "/a/{id}": { get: { responses: { 200: { description: "d" } } } } },
  };

  test("SARIF describes rules, and gives findings an operation and an id that doesn't depend on the line", async () => {
    const sarifOf = async (text: string) => {
      const { path: cwd } = await project({ "openapi.json": text });
      const args = [...base, "--dry-run", "--lint", "--report-sarif", "-"];
      const { runs } = JSON.parse((await runCaptured(args, { cwd })).stdout);
      const { tool, results } = runs[0];
      const result = results.find(({ ruleId }: { ruleId: string }) => ruleId === "path-parameters-defined");
      return { rule: tool.driver.rules[result.ruleIndex], result };
    };
    const { rule, result } = await sarifOf(JSON.stringify(faulty));
    expect(rule).toEqual({
      id: "path-parameters-defined",
      shortDescription: { text: "Path parameters defined" },
      helpUri: expect.stringMatching(/^https:\/\//),
      defaultConfiguration: { level: "error" },
    });
    expect(result.locations[0].logicalLocations).toEqual([
      { fullyQualifiedName: "GET /a/{id}", kind: "resource" },
    ]);
    const moved = (await sarifOf(JSON.stringify(faulty, null, 4))).result;
    expect(moved.locations[0].physicalLocation.region).not.toEqual(
      result.locations[0].physicalLocation.region,
    );
    expect(moved.partialFingerprints).toEqual(result.partialFingerprints);
    expect(Object.values(result.partialFingerprints)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  test("JUnit has a failed test for each finding", async () => {
    const hostile = { ...faulty, paths: { "/a<&\"'/{id}": { get: {} } } };
    const { path: cwd } = await project({ "openapi.json": JSON.stringify(hostile) });
    const args = [...base, "--dry-run", "--lint", "--report-junit", "-"];
    const xml = new DOMParser().parseFromString((await runCaptured(args, { cwd })).stdout, "text/xml");
    const [suite] = xml.getElementsByTagName("testsuite");
    const cases = [...xml.getElementsByTagName("testcase")];
    expect(suite?.getAttribute("tests")).toBe(String(cases.length));
    expect(suite?.getAttribute("failures")).toBe(String(xml.getElementsByTagName("failure").length));
    const found = cases.find(
      (each) => each.getAttribute("classname") === "waymark.lint.path-parameters-defined",
    );
    expect(found?.getAttribute("name")).toBe("GET /a<&\"'/{id} (openapi.json:1)");
  });

  test("JUnit without findings has one passing test", async () => {
    const clean = { ...faulty, paths: {}, servers: [{ url: "https://example.test" }], security: [] };
    const info = { ...faulty.info, license: { name: "MIT", identifier: "MIT" } };
    const { path: cwd } = await project({ "openapi.json": JSON.stringify({ ...clean, info }) });
    const { stdout } = await runCaptured([...base, "--dry-run", "--lint", "--report-junit", "-"], { cwd });
    expect(stdout).toContain('tests="1" failures="0"');
    expect(stdout).toContain('<testcase classname="waymark.lint" name="no findings" time="0.000"/>');
  });

  test("GitLab's Code Quality has path, line, severity and fingerprint, and needs a file", async () => {
    const { path: cwd } = await project({ "openapi.json": JSON.stringify(faulty) });
    const args = [...base, "--dry-run", "--lint", "--report-codequality", "-"];
    const entries = JSON.parse((await runCaptured(args, { cwd })).stdout);
    expect(entries).toContainEqual({
      description: expect.stringContaining("id"),
      check_name: "path-parameters-defined",
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      severity: "critical",
      location: { path: "openapi.json", lines: { begin: 1 } },
    });
    expect(new Set(entries.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).size).toBe(
      entries.length,
    );
    const piped = await runCaptured(args.with(4, "-"), { stdin: JSON.stringify(faulty) });
    expect(piped).toMatchObject({ exitCode: 2, stdout: "" });
    expect(piped.stderr).toContain("--report-codequality needs a description in a file");
  });

  const piped = ["scan", "--service", "s", "--spec", "-", "--dry-run", "--lint", "--report-sarif", "-"];
  interface Place {
    physicalLocation: { artifactLocation: { uri: string } };
  }
  const locationsOf = (sarif: string): Place[] =>
    JSON.parse(sarif).runs[0].results.map(({ locations }: { locations: Place[] }) => locations[0]);
  const uriOf = (place: Place | undefined) => place?.physicalLocation.artifactLocation.uri;

  test("findings of standard input have the repository as their place, and no file", async () => {
    const { stdout, stderr } = await runCaptured(piped, { stdin: SPEC, env: { GITHUB_ACTIONS: "true" } });
    const physicalLocation = { artifactLocation: { uri: "." }, region: { startLine: 1 } };
    const locations = locationsOf(stdout);
    expect(locations).toEqual(locations.map(() => expect.objectContaining({ physicalLocation })));
    expect(stderr).toMatch(/^::error title=[\w-]+::/m);
    expect(stdout + stderr).not.toContain("standard-input");
  });

  test("--stdin-name is the file of what standard input provides, in reports and for its references", async () => {
    const { path: cwd } = await project({ "api/parts.yaml": "a: { get: {} }\n" });
    const text = JSON.stringify(
      { openapi: "3.1.0", info: {}, paths: { "/a": { $ref: "parts.yaml#/a" } } },
      null,
      1,
    );
    const named = [...piped, "--stdin-name", "api/openapi.json"];
    const { stdout, stderr } = await runCaptured(named, {
      cwd,
      stdin: text,
      env: { GITHUB_ACTIONS: "true" },
    });
    const uris = locationsOf(stdout).map(uriOf);
    expect(new Set(uris)).toEqual(new Set(["api/openapi.json", "api/parts.yaml"]));
    expect(stderr).toMatch(/^::error file=api\/openapi\.json,line=\d+,/m);
    const report = ["--report-codequality", path.join(cwd, "q.json")];
    expect(
      await runCaptured([...named.slice(0, 7), "--stdin-name", "a.json", ...report], { cwd, stdin: SPEC }),
    ).toMatchObject({ exitCode: 0 });
  });

  test.each([
    [".", "a folder"],
    ["..", "a folder"],
    ["api", "a folder"],
    ["no/such/", "a folder"],
    ["api/..", "a folder"],
    ["https://example.com/openapi.yaml", "an address"],
    ["file:///openapi.yaml", "an address"],
    ["-", "standard input itself"],
    ["a\nb.yaml", "a text with control characters"],
  ])("--stdin-name %j is refused: it is %s", async (name, what) => {
    const { path: cwd } = await project({ "api/parts.yaml": "a: {}\n" });
    const result = await runCaptured([...piped, "--stdin-name", name], { cwd, stdin: SPEC });
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain("--stdin-name takes the path of a file");
    expect(result.stderr).toContain(` is ${what}.`);
  });

  test.each(["no/such/folder/o.yaml", ".openapi.yaml", "a..yaml", "x y#z%20?.yaml", "ü/openapi.yaml"])(
    "--stdin-name %j names a file, which need not exist",
    async (name) => {
      const { path: cwd } = await project({});
      const { exitCode, stdout } = await runCaptured([...piped, "--stdin-name", name], { cwd, stdin: SPEC });
      expect(exitCode).toBe(0);
      const uris = new Set(locationsOf(stdout).map(uriOf));
      expect([...uris].map((uri) => decodeURIComponent(uri ?? ""))).toEqual([name]);
    },
  );

  test("paths are below the workspace if it or the description is named through a link", async () => {
    const { path: cwd } = await project({ "real/openapi.json": SPEC });
    await symlink("real", path.join(cwd, "linked"));
    const args = [
      ...base.slice(0, 3),
      "--spec",
      "linked/openapi.json",
      "--dry-run",
      "--lint",
      "--report-sarif",
      "-",
    ];
    for (const workspace of ["real", "linked"]) {
      const env = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: path.join(cwd, workspace) };
      const { stdout } = await runCaptured(args, { cwd, env });
      expect(uriOf(locationsOf(stdout)[0])).toBe("openapi.json");
    }
  });

  test("on GitHub Actions there are a job summary and at most ten annotations of a level", async () => {
    const server = await startFakeApi();
    const paths = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`/p${i}/{id}`, { get: {} }]));
    const { path: cwd } = await project({
      "many.json": JSON.stringify({ openapi: "3.1.0", info: {}, paths }),
    });
    const summary = path.join(cwd, "summary.md");
    const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
    const args = [
      "scan",
      "--service",
      "a|b",
      "--spec",
      "many.json",
      "--api-key",
      "k",
      "--api-url",
      server.url,
      "--lint",
    ];
    const { stderr, stdout } = await runCaptured(args, { cwd, env });
    const annotations = stderr.split("\n").filter((line) => line.startsWith("::"));
    const levels = annotations.map((line) => line.slice(2, line.indexOf(" ")));
    for (const level of new Set(levels)) expect(levels.filter((each) => each === level)).toHaveLength(10);
    expect(new Set(levels).size).toBeGreaterThan(1);
    expect(annotations[0]).toMatch(/^::error file=many\.json,line=1,col=\d+,title=[\w-]+::./);
    expect(stdout.split("\n")).toHaveLength(4);
    const text = await readFile(summary, "utf8");
    expect(text).toContain(String.raw`a\|b`);
    expect(text).toContain(`${server.url}/scan-runs/${RUN_ID}`);
  });
});
