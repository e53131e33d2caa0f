import { expect, test } from "vitest";
import { commandDefinitions } from "../test-support/command-definitions.ts";
import { runCaptured } from "../test-support/run-captured.ts";
import { VERSION } from "../lib/version.ts";

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

test("the help of a command names all its arguments, also those that may be missing", async () => {
  for (const [command, usage] of [
    ["diff", "waymark diff <base> <head> [options]"],
    ["journey lint", "waymark journey lint <file> ... [options]"],
    ["journey run", "waymark journey run [file] ... [options]"],
    ["help", "waymark help [command] ... [options]"],
    ["scan", "waymark scan [options]"],
  ] as const) {
    const { stdout } = await runCaptured([...command.split(" "), "--help"]);
    expect(stdout).toContain(`Usage: ${usage}\n`);
  }
});

test("the options for the server are the same for every command, and follow its own", async () => {
  const connection = [
    "--api-key",
    "--api-key-file",
    "--api-url",
    "--ca-cert",
    "--allow-host",
    "--allow-http",
    "--config",
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
  [["--nope=hidden-value"], /^Unknown option "--nope"\./],
  [
    ["scan", "--api-key", "hidden-value", "--speck", "x"],
    /^Unknown option "--speck"\. Did you mean --spec\? See waymark scan --help\.\n$/,
  ],
  [["scan", "--api-kee=hidden-value"], /^Unknown option "--api-kee"\. Did you mean --api-key\? See/],
  [["scan", "--something-else"], /^Unknown option "--something-else"\. See/],
  [["help", "scna"], /^There is no command "scna"\. Did you mean "waymark scan"\? See waymark help\.\n$/],
  [["scan", "--api-key", "hidden-value", "stray"], /^waymark scan accepts only options/],
  [["scan", "--spec"], /^The option --spec needs a value\./],
  [["diff", "base.yaml"], /^waymark diff has too few or too many arguments: it takes <base> <head>\. See/],
  [["completion", "bash", "stray"], /^waymark completion has too few or too many .* takes \[shell\]\. See/],
  [["secret", "list", "stray"], /^waymark secret list accepts only options/],
])("a wrong command line is explained on standard error, without its values: %j", async (args, message) => {
  const result = await runCaptured(args);
  expect(result).toEqual({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
  expect(result.stderr).not.toContain("hidden-value");
});

test.each([
  [["help"], ["--help"]],
  [
    ["help", "scan"],
    ["scan", "--help"],
  ],
  [
    ["help", "journey", "run"],
    ["journey", "run", "--help"],
  ],
  [
    ["help", "journey"],
    ["journey", "--help"],
  ],
])("waymark %j prints the same as %j", async (words, option) => {
  const help = await runCaptured(words);
  expect(help).toEqual(await runCaptured(option));
  expect(help.exitCode).toBe(0);
});

test("the manual page has every command and option, and no text that man would take for a request", async () => {
  const { exitCode, stdout, stderr } = await runCaptured(["help", "--man"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const plain = stdout.replaceAll(String.raw`\-`, "-");
  const missing = (await commandDefinitions())
    .filter(({ name }) => !name.startsWith("-"))
    .flatMap(({ name, options }) => [`.SS waymark ${name}`, ...options])
    .filter((text) => !plain.includes(text));
  expect(missing).toEqual([]);
  const requests = plain.split("\n").filter((line) => /^[.']/.test(line));
  expect(requests.filter((line) => !/^\.(TH|SH|SS|TP|PP|nf|fi)\b/.test(line))).toEqual([]);
});
