import { expect, test } from "vitest";
import { runCaptured } from "../test-support/run-captured.ts";
import { VERSION } from "../version.ts";

test("--version prints the version and nothing else", async () => {
  expect(await runCaptured(["--version"])).toEqual({ exitCode: 0, stdout: `${VERSION}\n`, stderr: "" });
});

test("--help lists the commands, and after a command its options with examples", async () => {
  const general = await runCaptured(["--help"]);
  expect(general).toMatchObject({ exitCode: 0, stderr: "" });
  expect(general.stdout).toContain("  scan  ");
  for (const args of [
    ["scan", "--help"],
    ["scan", "--spec", "x", "-h"],
  ]) {
    const { exitCode, stdout } = await runCaptured(args);
    expect(exitCode).toBe(0);
    for (const text of [
      "--service <name>",
      "--spec <path>",
      "--api-key <key>",
      "--api-url <url>",
      "Examples:",
    ]) {
      expect(stdout).toContain(text);
    }
  }
});

test("the options that reach a server are the same for every command, and stand behind its own", async () => {
  const connection = [
    "--api-key",
    "--api-key-file",
    "--api-url",
    "--ca-cert",
    "--allow-host",
    "--allow-http",
  ];
  for (const command of ["scan", "flush", "doctor"]) {
    const { stdout } = await runCaptured([command, "--help"]);
    const options = [...stdout.matchAll(/^ {2}(--[a-z-]+) /gm)].map((match) => match[1]);
    expect(options.length).toBeGreaterThan(connection.length);
    expect(options.slice(-connection.length)).toEqual(connection);
  }
});

test.each([
  [[], /^waymark .*Commands:/s],
  [["scna"], /^Unknown command "scna"\. Did you mean "waymark scan"\? Commands: scan/],
  [["lint"], /^Unknown command "lint"\. Did you mean "waymark journey lint"\? /],
  [["journey", "rnu"], /^Unknown command "journey rnu"\. Did you mean "waymark journey run"\? See/],
  [["deploy"], /^Unknown command "deploy"\. Commands: scan/],
  [["--nope=secret"], /^Unknown option "--nope"\./],
  [
    ["scan", "--api-key", "secret", "--speck", "x"],
    /^Unknown option "--speck"\. See waymark scan --help\.\n$/,
  ],
  [["scan", "--api-kee=secret"], /^Unknown option "--api-kee"\./],
  [["scan", "--api-key", "secret", "stray"], /^waymark scan accepts only options/],
  [["scan", "--spec"], /^The option --spec needs a value\./],
])("a wrong command line is explained on standard error, without its values: %j", async (args, message) => {
  const result = await runCaptured(args);
  expect(result).toEqual({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
  expect(result.stderr).not.toContain("secret");
});
