import { describe, expect, test } from "vitest";
import { createRepository } from "../test-support/git-repository.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const operation = (more = "") => `{ responses: { "200": { description: d } }${more} }`;
const document = (...paths: string[]) =>
  `openapi: 3.0.3\ninfo: { title: T, version: "1" }\npaths:\n${paths.map((line) => `  ${line}\n`).join("")}`;
const parameter = (values: string) =>
  `, parameters: [{ name: "a:b,c%", in: query, schema: { type: string, enum: ${values} } }]`;
const BASE = document(
  `/a: { get: ${operation(parameter("[x, y]"))} }`,
  `/b: { get: ${operation()} }`,
  `/c: { get: ${operation(", operationId: readC")} }`,
);
const HEAD = document(
  `/a: { get: ${operation(parameter("[x]"))} }`,
  `/c: { get: ${operation(", operationId: getC")} }`,
  `/new: { get: ${operation()} }`,
);

interface Result {
  ruleId: string;
  level: string;
  partialFingerprints: Record<string, string>;
}

async function diff(format: string, { base = BASE, head = HEAD, args = [] as string[], files = {} } = {}) {
  const folder = await temporaryFolder();
  const all = { "base.yaml": base, "api/head.yaml": head, ...files };
  for (const [name, text] of Object.entries<string>(all)) await folder.write(name, text);
  return runCaptured(["diff", "base.yaml", "api/head.yaml", "--format", format, ...args], {
    cwd: folder.path,
  });
}

describe("waymark diff --format sarif", () => {
  test("has a result for each change that breaks clients or may, with a place in the repository", async () => {
    const { stdout, exitCode } = await diff("sarif");
    expect(exitCode).toBe(0);
    const log = JSON.parse(stdout);
    const [run] = log.runs;
    expect(log).toMatchObject({ version: "2.1.0", $schema: expect.stringContaining("sarif-2.1.0") });
    expect(run.results).toHaveLength(3);
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(result.partialFingerprints["waymarkChange/v1"]).toMatch(/^[0-9a-f]{32}$/);
      expect(result.partialFingerprints).not.toHaveProperty("primaryLocationLineHash");
      const { artifactLocation, region } = result.locations[0].physicalLocation;
      expect(artifactLocation.uri).toBe("api/head.yaml");
      expect(region.startLine).toBeGreaterThan(0);
      expect(region.startColumn).toBeGreaterThan(0);
    }
    const fingerprints = run.results.map((result: Result) => result.partialFingerprints["waymarkChange/v1"]);
    expect(new Set(fingerprints).size).toBe(3);
    const levels = run.results.map(({ ruleId, level }: Result) => [ruleId, level]);
    expect(levels).toContainEqual(["operation-removed", "error"]);
    expect(levels.filter(([, level]: string[]) => level === "warning")).toHaveLength(1);
    // A page about the rules of the linter explains none of these.
    expect(stdout).not.toContain("redocly.com");
  });

  test("keeps the fingerprints when lines move", async () => {
    const of = async (head: string) =>
      JSON.parse((await diff("sarif", { head })).stdout).runs[0].results.map(
        (each: Result) => each.partialFingerprints,
      );
    expect(await of(`# A comment.\n\n${HEAD}`)).toEqual(await of(HEAD));
  });

  test("names what was not compared, and is valid without a change", async () => {
    const dangling = document(
      `/a: { get: { responses: { "200": { $ref: "#/components/responses/None" } } } }`,
    );
    const [run] = JSON.parse((await diff("sarif", { base: dangling, head: dangling })).stdout).runs;
    expect(run.results).toEqual([]);
    expect(run.invocations).toEqual([
      {
        executionSuccessful: true,
        toolExecutionNotifications: [
          { level: "warning", message: { text: expect.stringContaining("Not compared: ") } },
        ],
      },
    ]);
  });

  test("gives files of a revision by their paths in the repository", async () => {
    const { folder, git, write } = await createRepository();
    await write("services/a b/api.yaml", BASE);
    git("add", "-A");
    git("commit", "-qm", "base");
    await write("services/a b/api.yaml", HEAD);
    git("commit", "-qam", "head");
    const names = ["HEAD~1:services/a b/api.yaml", "HEAD:services/a b/api.yaml"];
    const { stdout } = await runCaptured(["diff", ...names, "--format", "sarif"], {
      cwd: `${folder}/services`,
    });
    expect(stdout).toContain('"uri": "services/a%20b/api.yaml"');
    expect(stdout).not.toContain("HEAD:");
  });
});

test("--format codequality is GitLab's report, with a fingerprint for each change and lines from 1", async () => {
  const issues = JSON.parse((await diff("codequality")).stdout);
  expect(issues).toHaveLength(3);
  for (const issue of issues) {
    expect(issue).toEqual({
      description: expect.any(String),
      check_name: expect.stringMatching(/^[a-z0-9-]+$/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      severity: expect.stringMatching(/^(?:critical|major)$/),
      location: { path: "api/head.yaml", lines: { begin: expect.any(Number) } },
    });
    expect(issue.location.lines.begin).toBeGreaterThan(0);
  }
  expect(new Set(issues.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).size).toBe(3);
  // GitLab compares with the report of the target branch, so that an empty list is a result.
  expect((await diff("codequality", { head: BASE })).stdout).toBe("[]\n");
});

test("--format junit has a test for each change: failed, skipped or passed", async () => {
  const { stdout } = await diff("junit", {
    files: { "waymark.yaml": "contract: { ignores: [{ id: operation-removed, reason: agreed }] }\n" },
  });
  expect(stdout).toMatch(
    /<testsuite [^>]*name="waymark contract"[^>]* tests="4" failures="1" errors="0" skipped="2">/,
  );
  expect(stdout).toMatch(/<testcase [^>]*classname="waymark.contract.operation-added"[^>]*\/>/);
  expect(stdout).toMatch(/operation-removed"[^>]*><skipped message="exception: agreed"\/>/);
  expect(stdout).toMatch(/<failure message="[^"]*" type="high">api\/head\.yaml:4: /);
  const names = [...stdout.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"/g)].map(
    ([, a, b]) => `${a} ${b}`,
  );
  expect(new Set(names).size).toBe(names.length);
  expect((await diff("junit", { head: BASE })).stdout).toMatch(
    /tests="1" failures="0" errors="0" skipped="0"/,
  );
});

describe("waymark diff --format github", () => {
  test("escapes what the runner would read, and gives each annotation its line", async () => {
    const { stdout } = await diff("github");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toContainEqual(
      expect.stringMatching(/^::error file=api\/head\.yaml,line=3,col=1,title=operation-removed::GET \/b/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^::error file=api\/head\.yaml,line=4,col=\d+,title=request-enum-value-removed::.*a:b,c%25/,
      ),
    );
    expect(lines.filter((line) => line.startsWith("::error"))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith("::warning"))).toHaveLength(1);
    expect(lines.at(-1)).toBe("2 changes break clients, and 1 may");
  });

  test("prints ten annotations of a level, and the others as lines of the log", async () => {
    const paths = Array.from({ length: 25 }, (_, n) => `/p${n}: { get: ${operation()} }`);
    const { stdout } = await diff("github", { base: document("/a: {}", ...paths), head: document("/a: {}") });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("::error"))).toHaveLength(10);
    expect(
      lines.filter((line) => /^GET \/p\d+ was removed.* \[operation-removed\]$/.test(line)),
    ).toHaveLength(15);
  });
});

describe("waymark diff --format azure", () => {
  test("escapes what the agent would read, and gives each issue its line", async () => {
    const { stdout } = await diff("azure");
    const issues = stdout.split("\n").filter((line) => line.startsWith("##vso["));
    expect(issues).toHaveLength(3);
    expect(issues).toContainEqual(
      expect.stringMatching(
        /^##vso\[task\.logissue type=error;sourcepath=\/[^;]*api\/head\.yaml;linenumber=3;columnnumber=1;code=operation-removed;\]GET \/b/,
      ),
    );
    expect(issues).toContainEqual(
      expect.stringMatching(/;linenumber=4;columnnumber=\d+;code=request-enum-value-removed;\].*a:b,c%AZP25/),
    );
  });

  test("can't be ended by a name: only brackets and semicolons of its own are read", async () => {
    const paths = ["/x];sourcepath=y;[##vso[task.setvariable variable=a]b: { get: {} }"];
    const { stdout } = await diff("azure", { base: document("/a: {}", ...paths), head: document("/a: {}") });
    expect(stdout.match(/^##vso\[/gm)).toHaveLength(1);
    expect(stdout).toMatch(/^##vso\[task\.logissue type=error;[^\]]*;code=operation-removed;\]GET \/x\]/m);
  });
});

test.each(["sarif", "junit", "codequality", "github"])(
  "--format %s has places in a file with line ends of Windows, and in one outside of the folder",
  async (format) => {
    const { folder, git, write } = await createRepository();
    await write("base.yaml", BASE.replaceAll("\n", "\r\n"));
    await write("head.yaml", HEAD.replaceAll("\n", "\r\n"));
    await write("inner/keep", "");
    git("add", "-A");
    const args = ["diff", "../base.yaml", "../head.yaml", "--format", format];
    const { stdout, exitCode } = await runCaptured(args, { cwd: `${folder}/inner` });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/head\.yaml(?::4|,line=4)|"begin": 4|"startLine": 4/);
    expect(stdout).not.toContain("../head.yaml");
  },
);

test("findings that the second file adds are in reports, too, with --lint", async () => {
  const { stdout } = await diff("sarif", { args: ["--lint"] });
  const [run] = JSON.parse(stdout).runs;
  const keys = run.results.flatMap((each: Result) => Object.keys(each.partialFingerprints));
  expect(new Set(keys)).toEqual(new Set(["waymarkChange/v1", "waymarkFinding/v1"]));
});
