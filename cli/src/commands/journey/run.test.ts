import { readFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { runCli } from "../../app/run-cli.ts";
import { DEFAULT_TIMES } from "../../http/times.ts";
import { echo, ECHO_JOURNEY, echoProject as project } from "../../test-support/echo-journey.ts";
import { answerJson } from "../../test-support/fake-server.ts";
import { runCaptured } from "../../test-support/run-captured.ts";

test("inputs get the types of the journey's schema, and later sources take precedence", async () => {
  const { run, sent, write } = await project();
  await write("in.yaml", "word: file\ncount: 2\nlist: [1]\n");
  await write(
    "waymark.yaml",
    "environments: { test: { servers: { echo: 'http://127.0.0.1:9' }, inputs: { word: env, ready: true } } }\n",
  );
  const inputs = ["--inputs", "in.yaml", "--env", "test"];
  expect((await run([...inputs, "--input", "list=[3,4]", "--input", "ready=null"])).exitCode).toBe(0);
  expect((await run([...inputs, "--input", "word=42"])).exitCode).toBe(0);
  expect(sent()).toEqual([
    { word: "file", count: 2, ready: null, list: [3, 4] },
    { word: "42", count: 2, ready: true, list: [1] },
  ]);
});

test.each([
  ["rows.csv", 'word,count,list\r\n"a,""b""",3,[1]\r\n\r\nc,,\r\n"",5,'],
  ["rows.json", '[{"word":"a,\\"b\\"","count":3,"list":[1]},{"word":"c"},{"word":"","count":5}]'],
])("each row of %s is a separate run", async (name, text) => {
  const { run, sent, write } = await project();
  await write(name, text);
  const result = await run(["--data", name, "--parallel", "1"]);
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(result.stdout).toContain("Echo 1.0.0 [row 3]");
  expect(result.stdout).toContain("3 runs: 3 passed, 0 did not");
  expect(sent()).toMatchObject([
    { word: 'a,"b"', count: 3, list: [1] },
    { word: "c", count: 1 },
    { word: "", count: 5 },
  ]);
});

test.each([
  ["a cell too many", "word\na,b\n", "rows.csv:2: there are 2 cells, and 1 columns."],
  ["an open quote", 'word\nx\n"a\n', "rows.csv:3: column 1: a cell with a quote in it"],
  ["an open quote far above the end", 'word\n"a\nb\nc\n', "rows.csv:2: column 1: a cell with a quote in it"],
  ["a cell too many below line breaks in a cell", 'word\n"a\r\nb"\nc,d\n', "rows.csv:4: there are 2 cells"],
  ["a column that is no input", "wort\na\n", 'There is no input "wort"'],
  ["no rows", "word\n", "rows.csv has no rows."],
  [
    "a decimal comma",
    "word;count\na;3,5\n",
    'rows.csv:2: column "count" is a number, and the cell has a decimal comma',
  ],
  ["a column twice", "word,word\na,b\n", "rows.csv:1: column 2 has the name of column 1"],
  ["broken JSON", '[{"word":"hidden"', "rows.csv:1:18: this is not valid JSON."],
])("data with %s is refused before anything is sent", async (_name, text, message) => {
  const { run, server, write } = await project();
  await write("rows.csv", text);
  const result = await run(["--data", "rows.csv"]);
  expect(result).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
  expect(result.stderr).not.toContain("hidden");
  expect(server.requests).toEqual([]);
});

test("--parallel runs concurrently, and the report keeps the order of the rows", async () => {
  let open = 0;
  let most = 0;
  const { run, write, path } = await project((request, response, raw) => {
    most = Math.max(most, ++open);
    // The first one waits until four have arrived.
    const wait = setInterval(() => {
      if (most < 4) return;
      clearInterval(wait);
      open--;
      echo(request, response, raw);
    }, 5);
  });
  await write("rows.json", JSON.stringify(Array.from({ length: 8 }, (_, n) => ({ word: `w${n}` }))));
  const result = await run(["--data", "rows.json", "--parallel", "4", "--report", "json=out/r.json"]);
  expect(result.exitCode).toBe(0);
  expect(most).toBe(4);
  const results: unknown = JSON.parse(await readFile(`${path}/out/r.json`, "utf8"));
  expect(results).toMatchObject(Array.from({ length: 8 }, (_, n) => ({ inputs: { word: `w${n}` } })));
});

test("--bail starts no further run after the first that did not pass", async () => {
  const { run, write, server } = await project();
  await write("rows.csv", "word\ngood\nbad\nnever\n");
  const result = await run(["--data", "rows.csv", "--bail"]);
  expect(result.exitCode).toBe(1);
  expect(result.stdout).toContain("3 runs: 1 passed, 1 did not, 1 not started");
  expect(server.requests).toHaveLength(2);
});

test("a variable with an API key of waymark is refused as a secret, unless a file contains it", async () => {
  const { run, server, write } = await project();
  const key = `wmk_aBcDeFgHiJkL_${"x".repeat(39)}`;
  await write("key", key);
  const word = ["--input", "word=x"];
  for (const env of [
    { SERVICE_API_KEY: key, ECHO_KEY: key },
    // GitLab's variable, without the one that a scan reads.
    { ECHO_KEY: `${key}\n` },
    { ECHO_KEY: `Bearer ${key}` },
    { SERVICE_API_KEY: "of-another-form", ECHO_KEY: "of-another-form" },
  ]) {
    const refused = await run(word, env);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain("env:ECHO_KEY, which holds an API key of waymark");
    expect(refused.stderr).toContain("--secret ECHO_KEY=path");
    expect(refused.stdout + refused.stderr).not.toContain(key);
  }
  await write("echo.journey.yaml", ECHO_JOURNEY.replace("env:ECHO_KEY", "env:SERVICE_API_KEY"));
  expect((await run(word, { SERVICE_API_KEY: "of-another-form" })).exitCode).toBe(3);
  expect(server.requests).toEqual([]);
  expect((await run([...word, "--secret", "SERVICE_API_KEY=key"])).exitCode).toBe(0);
  expect(server.requests[0]?.headers["x-key"]).toBe(key);
});

test("a secret comes from its variable or its file, and is shown nowhere", async () => {
  const { run, server, write } = await project(({ headers }, response) =>
    answerJson(response, 500, { word: headers["x-key"] }),
  );
  await write("key", "from-a-file\n");
  for (const [args, secret] of [
    [[], "from-the-environment"],
    [["--secret", "ECHO_KEY=key"], "from-a-file"],
  ] as const) {
    const { stdout, stderr } = await run(["--input", "word=x", "--verbose", ...args], {
      ECHO_KEY: "from-the-environment",
    });
    expect(server.requests.at(-1)?.headers["x-key"]).toBe(secret);
    expect(stdout + stderr).not.toContain(secret);
    expect(stdout).toContain("said = [redacted]");
  }
  const missing = await run(["--input", "word=x"], { ECHO_KEY: "" });
  expect(missing.exitCode).toBe(3);
  expect(missing.stdout).toMatch(
    /not run: It echoes\n[^]*env:ECHO_KEY[^]*export NAME=value[^]*\nerror {2}.*no step was run/,
  );
  expect(await run(["--input", "word=x", "--secret", "ECHO_KEY=gone"])).toMatchObject({
    exitCode: 3,
    stderr: "The secret ECHO_KEY: Can't read gone: there is no such file.\n",
  });
});

test("a short secret causes one warning on standard error", async () => {
  const { run } = await project();
  const rows = ["--input", "word=x", "--parallel", "2"];
  for (const [value, words] of [
    ["k", "fewer than 4 characters: it is too short to be redacted"],
    ["seven77", "fewer than 8 characters"],
  ] as const) {
    const { stderr, exitCode } = await run([...rows], { ECHO_KEY: value });
    expect(exitCode).toBe(0);
    expect(stderr.split("\n")).toEqual([expect.stringContaining(words), ""]);
    expect(stderr).toContain("warning: The secret ECHO_KEY has");
    expect(stderr).not.toContain("seven77");
  }
  expect((await run(rows, { ECHO_KEY: "long-enough" })).stderr).toBe("");
});

test("the document of another tool runs with a literal credential: it causes a warning, and is redacted", async () => {
  const { run, server, write } = await project(({ headers }, response) =>
    answerJson(response, 500, { said: headers["x-api-key"], pass: headers.authorization }),
  );
  const foreign = ECHO_JOURNEY.slice(0, ECHO_JOURNEY.indexOf("    x-journey:"))
    .replace(
      "name: X-Key, in: header, value: $inputs.key",
      "name: X-Api-Key, in: header, value: in-the-document-1",
    )
    .replace(
      "parameters: [",
      "parameters: [{ name: Authorization, in: header, value: Bearer in-the-document-2 }, ",
    );
  await write("echo.journey.yaml", foreign);
  const { stdout, stderr } = await run(["--input", "word=x", "--verbose", "--report", "json=-"]);
  expect(server.requests[0]?.headers).toMatchObject({
    "x-api-key": "in-the-document-1",
    authorization: "Bearer in-the-document-2",
  });
  expect(stderr).toMatch(
    /^echo\.journey\.yaml:15:\d+ warning "Authorization" is a secret and stands in the document/m,
  );
  expect(stdout + stderr).not.toContain("in-the-document-");
});

test.each([
  [["--input", "wrod=secretive"], 'There is no input "wrod": there is word, count, ready, list, key.'],
  [["--input", "secretive"], "--input takes name=value."],
  [["--input", "word=a", "--input", "word=b"], '--input gives "word" twice'],
  [["--server", "other=http://127.0.0.1"], "--server names a source that no journey has"],
  [["--server", "other=ftp://secretive"], "--server other must be an http:// or https:// address."],
  [["--parallel", "0"], "--parallel must be a whole number from 1 to 100."],
  [["--report", "pdf=x"], "the formats are json, junit, html, har, ctrf"],
  [["--report", "json=x", "--report", "har=x"], "Two reports go to x"],
  [["--env", "nope"], 'There is no environment "nope"'],
  [["--inputs", "gone.yaml"], "Can't read gone.yaml: there is no such file."],
])("%j is refused with 2 before anything is sent, without showing values", async (args, message) => {
  const { run, server } = await project();
  const result = await run(args);
  expect(result).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
  expect(result.stderr).not.toContain("secretive");
  expect(server.requests).toEqual([]);
});

test("an input that is missing or of the wrong type exits with 3", async () => {
  const { run, server } = await project();
  expect(await run([])).toMatchObject({ exitCode: 3, stdout: expect.stringContaining("missing-input") });
  expect(await run(["--input", "word=x", "--input", "count=hidden"])).toMatchObject({
    exitCode: 3,
    stdout: expect.stringMatching(/invalid-input: .*count must be integer/),
  });
  expect(server.requests).toEqual([]);
});

test("a target that can't be reached exits with 4, and so does a forbidden private one", async () => {
  const { run, server } = await project();
  const refused = await run(["--input", "word=x", "--forbid-private"]);
  expect(refused).toMatchObject({
    exitCode: 4,
    stdout: expect.stringContaining("127.0.0.1 is no public address. --forbid-private refuses it."),
  });
  expect(server.requests).toEqual([]);
  await server.close();
  expect(await run(["--input", "word=x"])).toMatchObject({ exitCode: 4 });
});

test("in CI a passed run is one line, and a failed one shows what failed", async () => {
  const { run } = await project();
  const passed = await run(["--input", "word=good"], { CI: "true" });
  expect(passed.stdout).toMatch(/^passed {2}Echo 1\.0\.0 {2}1 passed {2}\d+ ms\n$/);
  const failed = await run(["--input", "word=bad"], { CI: "true" });
  expect(failed).toMatchObject({ exitCode: 1 });
  expect(failed.stdout).toMatch(/actual: +500\n +expected: 200\n.*\n +at echo\.journey\.yaml:22\n/);
  expect((await run(["--input", "word=good", "--quiet"])).stdout).toBe("");
  expect((await run(["--input", "word=good", "--verbose"], { CI: "1" })).stdout).toContain("✓ say");
});

test("standard output contains only a report that is written to it", async () => {
  const { run } = await project();
  const { stdout, stderr } = await run(["--input", "word=good", "--report", "json=-"]);
  expect(JSON.parse(stdout)).toMatchObject({ schema: "journey-result/1", status: "passed" });
  expect(stderr).toContain("✓ say");
});

test("colours and the running step are shown on terminals only, without colours if NO_COLOR is set", async () => {
  const { server, path: cwd } = await project();
  const onTerminal = async (env: Record<string, string>) => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true });
    let text = "";
    stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const args = [
      "journey",
      "run",
      "echo.journey.yaml",
      "--server",
      `echo=${server.url}`,
      "--input",
      "word=x",
    ];
    const streams = { openStdin: () => new PassThrough(), stdout, stderr: new PassThrough() };
    const context = {
      env: { ECHO_KEY: "a-key-for-echo", ...env },
      cwd,
      times: DEFAULT_TIMES,
      colorDepth: 1,
      ...streams,
    };
    expect(await runCli(args, context)).toBe(0);
    return text;
  };
  const colored = await onTerminal({});
  expect(colored).toContain("\u001b[32m✓\u001b[39m");
  expect(colored).toContain("… say");
  const plain = await onTerminal({ NO_COLOR: "1" });
  expect(plain).toContain("… say");
  expect(plain).not.toMatch(/\u001b\[\d+m/);
});

test("a server's text can't move the cursor or forge a line", async () => {
  const { run } = await project((_request, response) =>
    answerJson(response, 200, { word: "a\u001b[2J\r\n✓ forged" }),
  );
  const { stdout } = await run(["--input", "word=x"]);
  expect(stdout).not.toContain("\u001b");
  expect(stdout).not.toMatch(/^✓ forged/m);
});

test("a document's warnings go to standard error with their position, and an artifact accepts no overlays", async () => {
  const { run, path: cwd } = await project();
  expect(
    await runCaptured(["journey", "build", "echo.journey.yaml", "--out", "a.json"], { cwd }),
  ).toMatchObject({
    exitCode: 0,
  });
  for (const more of [
    ["--overlay", "x"],
    ["--workflow", "main"],
    ["--env", "x"],
  ]) {
    expect(await runCaptured(["journey", "run", "a.json", ...more], { cwd })).toMatchObject({
      exitCode: 2,
      stdout: "",
    });
  }
  expect((await run(["--input", "word=x"])).stderr).toBe("");
});

test("--seed repeats the generated values; each of several runs has its own seed", async () => {
  const { run, sent, write } = await project();
  const vars = "x-journey:\n      vars: { word: { generate: uuid } }\n";
  await write(
    "echo.journey.yaml",
    ECHO_JOURNEY.replace("x-journey:\n", vars).replace("word: $inputs.word", 'word: "{$vars.word}"'),
  );
  const given = ["--input", "word=x"];
  const words = () => sent().map((body) => Object.values(body ?? {})[0]);
  const { stdout } = await run([...given, "--report", "json=-"]);
  await run([...given, "--seed", JSON.parse(stdout).seed]);
  await run(given);
  expect(words()[1]).toBe(words()[0]);
  expect(words()[2]).not.toBe(words()[0]);
  await write("rows.csv", "count\n1\n2\n");
  await run([...given, "--seed", "s", "--data", "rows.csv"]);
  await run([...given, "--seed", "s.2", "--input", "count=2"]);
  expect(words()[3]).not.toBe(words()[4]);
  expect(words()[5]).toBe(words()[4]);
  expect(await run([...given, "--seed", "a b"])).toMatchObject({ exitCode: 2 });
});
