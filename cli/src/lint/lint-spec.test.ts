import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { startFakeApi } from "../test-support/fake-api.ts";
import { runCaptured, temporaryFolder, type TemporaryFolder } from "../test-support/run-captured.ts";

const spec = {
  openapi: "3.0.3",
  info: { title: "T", version: "1", license: { name: "MIT", url: "https://example.org" } },
  servers: [{ url: "https://api.test" }],
  security: [],
  paths: {
    "/fine": {
      get: {
        operationId: "fine",
        summary: "s",
        responses: { "200": { description: "d" }, "400": { description: "d" } },
      },
    },
    "/users/{id}": {
      get: {
        operationId: "user",
        summary: "s",
        responses: { "200": { description: "d" }, "400": { description: "d" } },
      },
    },
    "/a~b/c": {
      post: {
        operationId: "c",
        responses: { "200": { $ref: "#/components/responses/Missing" }, "400": { description: "d" } },
      },
    },
  },
};

async function lint(folder: TemporaryFolder, file: string, args: string[] = []) {
  const server = await startFakeApi();
  const result = await runCaptured(
    ["scan", "--service", "s", "--spec", file, "--api-key", "k", "--api-url", server.url, "--lint", ...args],
    { cwd: folder.path },
  );
  const body = server.requests.find(({ method }) => method === "POST")?.body;
  return { ...result, findings: body === undefined ? undefined : JSON.parse(body).findings };
}

describe("findings", () => {
  test.each([
    ["JSON", "openapi.json", JSON.stringify(spec, null, 2)],
    ["YAML", "openapi.yaml", stringify(spec)],
  ])("have code, severity, message, method and path, the most severe first: %s", async (_, name, text) => {
    const folder = await temporaryFolder();
    const { findings, stdout } = await lint(folder, await folder.write(name, text));
    expect(stdout).toContain(`Endpoints: 3; findings: ${findings.length}\n`);
    expect(findings).toContainEqual({
      code: "path-parameters-defined",
      severity: "high",
      message: expect.stringContaining("`{id}`"),
      method: "GET",
      path: "/users/{id}",
    });
    expect(findings).toContainEqual({
      code: "no-unresolved-refs",
      severity: "high",
      message: expect.stringContaining("resolve"),
      method: "POST",
      path: "/a~b/c",
    });
    const severities: string[] = findings.map((finding: { severity: string }) => finding.severity);
    expect(severities).toEqual([...severities].toSorted((a, b) => (a === b ? 0 : a === "high" ? -1 : 1)));
  });

  test("a scan without --lint submits none", async () => {
    const server = await startFakeApi();
    await runCaptured(["scan", "--service", "s", "--spec", "-", "--api-key", "k", "--api-url", server.url], {
      stdin: JSON.stringify(spec),
    });
    expect(JSON.parse(server.requests[0]?.body ?? "").findings).toEqual([]);
  });

  test("beyond 500, the most severe are sent, and the number of the others is reported", async () => {
    const folder = await temporaryFolder();
    const paths = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`/p${i}/{id}`, { get: { responses: {} } }]),
    );
    const file = await folder.write("many.json", JSON.stringify({ ...spec, paths }));
    const { findings, stderr } = await lint(folder, file);
    expect(findings).toHaveLength(500);
    expect(
      findings.filter(({ severity }: { severity: string }) => severity === "high").length,
    ).toBeGreaterThan(399);
    expect(stderr).toMatch(/^Note: \d+ findings left out: a scan holds 500/);
  });

  test("in another file are found through local references, which never leave the folder or the machine", async () => {
    const folder = await temporaryFolder();
    await folder.write("outside.yaml", "description: outside\n");
    await folder.write("api/responses.yaml", "ok: { description: fine }\n");
    const responses = {
      "200": { $ref: "responses.yaml#/ok" },
      "400": { $ref: "../outside.yaml" },
      "500": { $ref: "http://127.0.0.1:9/remote.yaml" },
    };
    const linked = { ...spec, paths: { "/a": { get: { operationId: "a", summary: "s", responses } } } };
    const file = await folder.write("api/openapi.json", JSON.stringify(linked));
    const unresolved = (await lint(folder, file)).findings.filter(
      ({ code }: { code: string }) => code === "no-unresolved-refs",
    );
    expect(unresolved.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining("outside the spec's folder"),
      expect.stringContaining("not read over the network"),
    ]);
    const allowed = (await lint(folder, file, ["--allow-outside"])).findings;
    expect(allowed.filter(({ code }: { code: string }) => code === "no-unresolved-refs")).toHaveLength(1);
  });
});

describe("--rules", () => {
  test("lints with only a team's own ruleset", async () => {
    const folder = await temporaryFolder();
    await folder.write("rules.yaml", "rules:\n  operation-summary: error\n");
    const { findings } = await lint(folder, await folder.write("openapi.yaml", stringify(spec)), [
      "--rules",
      "rules.yaml",
    ]);
    expect(findings).toEqual([
      {
        code: "operation-summary",
        severity: "high",
        message: expect.any(String),
        method: "POST",
        path: "/a~b/c",
      },
    ]);
  });

  test("gives a rule the severity of its level if it names the rule, and Waymark's if it only extends others", async () => {
    const folder = await temporaryFolder();
    const severities = async (rules: string) => {
      await folder.write("rules.yaml", rules);
      const written = await folder.write("openapi.yaml", stringify(spec));
      const { findings } = await lint(folder, written, ["--rules", "rules.yaml"]);
      return findings
        .filter(({ code }: { code: string }) => code === "operation-summary")
        .map(({ severity }: { severity: string }) => severity);
    };
    expect(await severities("extends: [recommended]\n")).toEqual(["info"]);
    expect(await severities("extends: [recommended]\nrules:\n  operation-summary: error\n")).toEqual([
      "high",
    ]);
    expect(await severities("extends: [recommended]\nrules:\n  operation-summary: warn\n")).toEqual([
      "medium",
    ]);
    expect(await severities("extends: [recommended]\noas3_1Rules:\n  operation-summary: error\n")).toEqual([
      "high",
    ]);
    // Another ruleset that gives the rule another level than the engine recommends.
    expect(await severities("extends: [minimal]\n")).toEqual(["medium"]);
  });

  test.each([
    ["missing.yaml", undefined],
    ["broken.yaml", "rules: ["],
    ["wrong.yaml", "rules:\n  operation-summary: loud\n"],
    ["remote.yaml", "extends:\n  - http://127.0.0.1:9/rules.yaml\n"],
  ])("a ruleset that can't be used ends with exit code 2, and nothing is sent: %s", async (name, content) => {
    const folder = await temporaryFolder();
    if (content !== undefined) await folder.write(name, content);
    const result = await lint(folder, await folder.write("openapi.yaml", stringify(spec)), ["--rules", name]);
    expect(result).toMatchObject({ exitCode: 2, stdout: "", findings: undefined });
    expect(result.stderr).toContain("ruleset");
  });
});
