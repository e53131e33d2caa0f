import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { echoProject } from "../../test-support/echo-journey.ts";
import { answerJson } from "../../test-support/fake-server.ts";

const GITHUB = { CI: "true", GITHUB_ACTIONS: "true" };

describe("a step that fails shows the body of its response", () => {
  test("in CI and in full output, and a step that passes shows none", async () => {
    const { run } = await echoProject();
    for (const more of [["--quiet"], ["--verbose"], []]) {
      const { stdout } = await run(["--input", "word=bad", ...more], { CI: "true" });
      expect(stdout).toContain('      response body, 24 bytes:\n        {"word":"bad","count":1}\n');
    }
    expect((await run(["--input", "word=good", "--verbose"])).stdout).not.toContain("response body");
  });

  test("without secrets, and without control characters", async () => {
    const { run } = await echoProject(({ headers }, response) =>
      answerJson(response, 500, {
        said: `Key ${String(headers["x-key"])}`,
        token: "of-this-session",
        at: "\u009b2J",
      }),
    );
    const { stdout } = await run(["--input", "word=x"]);
    expect(stdout).toContain("response body, ");
    expect(stdout).not.toContain("a-key-for-echo");
    expect(stdout).not.toContain("of-this-session");
    expect(stdout).not.toContain("\u009b");
  });

  test("cut to 30 lines and 2,000 characters", async () => {
    const { run } = await echoProject((_request, response) => {
      response.writeHead(500, { "content-type": "text/plain" });
      response.end(Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join("\r\n"));
    });
    const { stdout } = await run(["--input", "word=x"]);
    expect(stdout).toContain("        line 30\n        … --report html=path has more of it\n");
    expect(stdout).not.toContain("line 31");
    const long = await echoProject((_request, response) => answerJson(response, 500, "x".repeat(5_000)));
    expect((await long.run(["--input", "word=x"])).stdout).toMatch(/^ {8}"x{1999}\n {8}… --report/m);
  });
});

test("on Azure Pipelines, each failure is an issue of the job at its line", async () => {
  const { run, path: cwd } = await echoProject();
  const { stderr } = await run(["--input", "word=bad"], { TF_BUILD: "True" });
  expect(stderr).toBe(
    `##vso[task.logissue type=error;sourcepath=${path.join(cwd, "echo.journey.yaml")};linenumber=22;columnnumber=1;code=Echo 1.0.0: say;]` +
      "ok: $statusCode is 500, expected 200 at echo.journey.yaml:22\n",
  );
});

describe("on GitHub Actions", () => {
  test("each failure is annotated at its line, relative to the repository", async () => {
    const { run, path: cwd } = await echoProject();
    const env = { ...GITHUB, GITHUB_WORKSPACE: path.dirname(cwd) };
    const { stderr } = await run(["--input", "word=bad"], env);
    expect(stderr).toBe(
      `::error file=${path.basename(cwd)}/echo.journey.yaml,line=22,col=1,title=Echo 1.0.0%3A say::` +
        "ok: $statusCode is 500, expected 200 at echo.journey.yaml:22\n",
    );
    expect((await run(["--input", "word=good"], env)).stderr).toBe("");
    const unset = await run(["--input", "word=x"], { ...env, ECHO_KEY: "" });
    expect(unset.stderr).toMatch(/^::error title=Echo 1\.0\.0::missing-secret: .*env:ECHO_KEY/);
  });

  test("the summary of the job has every run, and what failed", async () => {
    const { run, write, path: cwd } = await echoProject();
    await write("rows.csv", "word\ngood\nbad\n");
    const file = path.join(cwd, "summary.md");
    const { exitCode } = await run(["--data", "rows.csv"], { ...GITHUB, GITHUB_STEP_SUMMARY: file });
    expect(exitCode).toBe(1);
    const summary = (await readFile(file, "utf8")).replaceAll(/\d+ ms/g, "5 ms");
    expect(summary).toBe(String.raw`### Waymark journeys

2 runs: 1 passed, 1 did not

| Result | Journey | Steps passed | Acceptance | Time |
| --- | --- | --- | --- | --- |
| passed | Echo 1.0.0 \[row 1\] | 1 of 1 | 1 of 1 proven | 5 ms |
| failed | Echo 1.0.0 \[row 2\] | 0 of 1 | 0 of 1 proven | 5 ms |

- Echo 1.0.0 \[row 2\]\: say\: ok\: \$statusCode is 500, expected 200 at echo.journey.yaml\:22

`);
  });

  test("a summary of many runs is capped, and names those that failed", async () => {
    const { run, write, path: cwd } = await echoProject();
    await write("rows.csv", `word\n${"good\n".repeat(60)}bad\n`);
    const file = path.join(cwd, "summary.md");
    await run(["--data", "rows.csv"], { ...GITHUB, GITHUB_STEP_SUMMARY: file });
    const summary = await readFile(file, "utf8");
    expect(summary.match(/^\| passed/gm)).toHaveLength(49);
    expect(summary).toMatch(/^\| failed \| Echo 1\.0\.0 \\\[row 61\\\]/m);
    expect(summary).toContain("\n… and 11 runs more\n");
  });

  test("a summary that can't be written is noted, and changes no exit code", async () => {
    const { run, path: cwd } = await echoProject();
    const env = { ...GITHUB, GITHUB_STEP_SUMMARY: cwd };
    expect(await run(["--input", "word=good"], env)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Note: the summary of the job can't be written: /),
    });
  });
});
