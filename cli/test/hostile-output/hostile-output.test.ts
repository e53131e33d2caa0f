import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandDefinitions } from "../../src/test-support/command-definitions.ts";
import { HOSTILE_LINES } from "./command-lines.ts";
import { HOSTILE_DOCUMENTS, HOSTILE_REPORTS } from "./journeys.ts";
import { RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile } from "./files.ts";
import { type Captured, runCaptured } from "../../src/test-support/run-captured.ts";

/** Colours, a window title, line breaks with forged lines, commands to CI systems, C1, bidirectional controls, half a pair. */
const HOSTILE =
  "x\u001b[31mred\u001b]0;t\u0007\b\r\nFORGED\n::error::FORGED\n  ::set-output name=a::b\n##[error]F ##vso[task.b]c " +
  "section_start:1:a\r\u001b[0K\u007f\u009b31m\u0085\u202egnp.\u2066\u2069\u200e\u200f\u061c\u2028::warning::FORGED\u2029\ud800%0A";
const BENIGN = "benign";

const OWN_COLOURS = /\u001b\[(?:1|2|22|31|32|39)m|\r\u001b\[2K/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const ANNOTATION = /^::(?:error|warning|notice) file=[^,:\n]+,line=\d+,col=\d+,title=[^:,\n]+::[^\n]*$/;

async function run(
  make: MakeHostile,
  text: string,
  options: { json: boolean; terminal: boolean },
): Promise<Captured> {
  const { args, ...rest } = await make(text);
  return runCaptured([...args, ...(options.json ? ["--json"] : [])], {
    ...rest,
    terminal: options.terminal,
    times: { attemptsMax: 2 },
  });
}

/** Everything on a stream besides text, and unexpected lines. */
function faultsIn(output: string): string[] {
  const lines = output.split("\n");
  return [
    ...commandsIn(lines.filter((line) => !ANNOTATION.test(line)).join("\n")),
    ...lines.filter((line) => /^\s*(?:FORGED|section_start)/.test(line)),
  ];
}

/** Control characters, and lines that a CI system interprets as commands. */
function commandsIn(output: string): string[] {
  return output.split("\n").filter((line) => CONTROL.test(line) || /^\s*::|##\w*\[/.test(line));
}

const definitions = await commandDefinitions();
const commands = definitions.map(({ name }) => name).filter((name) => !name.startsWith("-"));

test("every registered command is tested with hostile text", () => {
  expect(Object.keys(HOSTILE_LINES).toSorted()).toEqual(commands.toSorted());
});

const CASES = Object.entries(HOSTILE_LINES).flatMap(([command, lines]) =>
  Object.entries(lines).flatMap(([about, make]) => {
    const takesJson = definitions.find(({ name }) => name === command)?.options.includes("--json") === true;
    return (takesJson ? [false, true] : [false]).map((json) => ({
      name: `${command}${json ? " --json" : ""}, ${about}`,
      make,
      json,
    }));
  }),
);

describe.each(CASES)("$name", ({ make, json }) => {
  test("prints only text into a log", async () => {
    const { stdout, stderr, exitCode } = await run(make, HOSTILE, { json, terminal: false });
    expect(exitCode).toBeLessThan(6);
    expect(stderr).not.toContain("This is an internal error of waymark");
    expect(faultsIn(stdout)).toEqual([]);
    expect(faultsIn(stderr)).toEqual([]);
  });

  test("prints only its own colours on a terminal", async () => {
    const hostile = await run(make, HOSTILE, { json, terminal: true });
    expect(faultsIn((hostile.stdout + hostile.stderr).replaceAll(OWN_COLOURS, ""))).toEqual([]);
    const benign = await run(make, BENIGN, { json, terminal: true });
    // As many as with harmless text, if the command did the same.
    const colours = ({ stdout }: Captured) => stdout.match(OWN_COLOURS)?.length;
    expect([colours(benign), undefined]).toContain(
      hostile.exitCode === benign.exitCode ? colours(hostile) : undefined,
    );
  });
});

describe.each(Object.entries(HOSTILE_DOCUMENTS))(
  "the document that %s writes to standard output",
  (_, make) => {
    test("is escaped on a terminal", async () => {
      const { stdout, stderr } = await run(make, HOSTILE, { json: false, terminal: true });
      expect(stdout).not.toBe("");
      expect(commandsIn(stdout)).toEqual([]);
      expect(faultsIn(stderr)).toEqual([]);
    });
  },
);

test.each(Object.entries(HOSTILE_REPORTS))(
  "the %s report has no control characters, and nothing that a CI system would act on",
  async (_, make) => {
    for (const terminal of [false, true]) {
      const { stdout, stderr } = await run(make, HOSTILE, { json: false, terminal });
      expect(stdout).toContain("FORGED");
      expect(commandsIn(stdout)).toEqual([]);
      expect(faultsIn(stderr.replaceAll(OWN_COLOURS, ""))).toEqual([]);
    }
  },
);

test.each(commands)(
  "an option of waymark %s that is none, and what is no command, are told in plain text",
  async (name) => {
    for (const args of [
      [...name.split(" "), `--${HOSTILE}`],
      [HOSTILE],
      [`-${HOSTILE}`],
      [...name.split(" "), HOSTILE, HOSTILE],
    ]) {
      const { stdout, stderr } = await runCaptured(args);
      expect(faultsIn(stdout + stderr)).toEqual([]);
    }
  },
);

test("escaped text is shown, not left out", async () => {
  for (const [command, about] of [
    ["doctor", "names of key and service"],
    ["doctor", "names of constraints"],
    ["scan", "a dry run"],
    ["scan", "a refusal of the server"],
    ["scan", "a remote $ref"],
    ["scan", "a waymark.yaml with a wrong address"],
    ["journey run", "a run that fails"],
  ] as const) {
    const make = HOSTILE_LINES[command]?.[about];
    const { stdout, stderr } = await run(make ?? unknownLine, HOSTILE, { json: false, terminal: false });
    expect(stdout + stderr).toContain(String.raw`x\u{1b}[31mred\u{1b}]0;t\u{7}\u{8}\r\nFORGED`);
  }
});

function unknownLine(): never {
  throw new Error("there is no such line");
}

test("only lib/output.ts writes to a stream of the command", async () => {
  const source = fileURLToPath(new URL("../../src/", import.meta.url));
  const found: string[] = [];
  for await (const name of glob("**/*.ts", { cwd: source })) {
    if (/test/.test(name) || name === path.join("lib", "output.ts")) continue;
    if (
      /(?:\bstd(?:out|err)|\bstream|console)\??\.(?:write|log|error|warn|info)\b/.test(
        await readFile(path.join(source, name), "utf8"),
      )
    )
      found.push(name);
  }
  expect(found).toEqual([]);
});

test("foreign text adds no markup or links to the job summary of GitHub Actions", async () => {
  const server = await startFakeServer();
  const folder = await folderWith({ "spec.json": '{"openapi":"3.1.0","paths":{}}' });
  const summary = path.join(folder.path, "summary.md");
  const service = "# <img src=x>](https://evil.example) | # https://evil.example `x`";
  const url = `${server.url}/base)[x](https:`;
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const args = ["scan", "--service", service, "--spec", "spec.json", "--api-key", "k", "--api-url", url];
  await runCaptured(args, { cwd: folder.path, env });
  const [heading, empty, ...rest] = (await readFile(summary, "utf8")).split("\n");
  expect(heading).toBe(
    String.raw`### Waymark scan of \# \<img src=x\>\]\(https\://evil.example\) \| \# https\://evil.example \`x\``,
  );
  expect(empty).toBe("");
  const [first, , ...table] = rest;
  expect(first).toBe(
    String.raw`**Not compared, so that nothing is known about what breaks clients:** finding the service failed\: HTTP 404 not\_found\: Nothing is here.`,
  );
  expect(table[2]).toBe(`| 0 | 0 | [scan run](<${url}/scan-runs/${RUN_ID}>) |`);
});
