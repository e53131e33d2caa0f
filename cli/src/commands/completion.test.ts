import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { commandDefinitions } from "../test-support/command-definitions.ts";
import { runCaptured } from "../test-support/run-captured.ts";

let script = "";
beforeAll(async () => {
  ({ stdout: script } = await runCaptured(["completion", "bash"]));
});

/** Returns the words that bash offers for the last word; none if it should offer files. Needs bash 3.2 or later. */
function complete(...words: string[]): string[] {
  const line = `${script}
COMP_WORDS=(waymark ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
_waymark; for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done`;
  return execFileSync("bash", ["-c", line], { encoding: "utf8" }).split("\n").slice(0, -1);
}

describe("bash completes", () => {
  test("commands and sub-commands", () => {
    expect(complete("sc")).toEqual(["scan"]);
    expect(complete("jou")).toEqual(["journey"]);
    expect(complete("journey", "co")).toEqual(["coverage"]);
    expect(complete("journey", "")).toContain("export");
    expect(complete("journey", "sche")).toEqual(["schedule"]);
    expect(complete("journey", "schedule", "re")).toEqual(["resume", "remove"]);
    expect(complete("journey", "schedule", "set", "n", "--over")).toEqual(["--overlap"]);
    expect(complete("journey", "schedule", "set", "n", "--overlap", "")).toEqual(["skip", "queue"]);
    expect(complete("--v")).toEqual(["--version"]);
  });

  test("the options of a command, also without a dash if it has no arguments", () => {
    expect(complete("scan", "--fail")).toEqual([
      "--fail-on",
      "--fail-on-removed",
      "--fail-on-broken-journeys",
    ]);
    expect(complete("flush", "--fail")).toEqual([]);
    expect(complete("journey", "new", "--res")).toEqual(["--resource"]);
    expect(complete("flush", "")).toContain("--spool");
    expect(complete("scan", "--no-p")).toEqual(["--no-promote"]);
  });

  test("values of a fixed set, after a space and after =, which bash treats as a separate word", () => {
    const severities = ["breaking", "maybe", "info", "low", "medium", "high", "critical"];
    expect(complete("scan", "--fail-on", "")).toEqual(severities);
    expect(complete("scan", "--lint", "--fail-on", "=")).toEqual(severities);
    expect(complete("scan", "--fail-on", "=", "h")).toEqual(["high"]);
    expect(complete("scan", "--on-upload-error", "=", "w")).toEqual(["warn"]);
    expect(complete("journey", "run", "a.yaml", "--report", "ju")).toEqual(["junit="]);
    expect(complete("completion", "z")).toEqual(["zsh"]);
    expect(complete("completion", "bash", "z")).toEqual([]);
    expect(complete("help", "sca")).toEqual(["scan"]);
    expect(complete("scan", "--service-from", "=", "t")).toEqual(["title"]);
    expect(complete("scan", "--config", "")).toEqual([]);
  });

  test("nothing for free values, and files by bash itself, which quotes spaces", () => {
    expect(complete("scan", "--service", "")).toEqual([]);
    for (const files of [
      ["scan", "--spec", ""],
      ["scan", "--spec", "=", ""],
      ["journey", "lint", ""],
      ["journey", "run", ""],
      ["journey", "push", ""],
    ]) {
      expect(complete(...files)).toEqual([]);
    }
    expect(script).toContain("\ncomplete -o default -F _waymark waymark\n");
  });
});

// test/setup/completion.test.ts tries them in their shells.
test.each(["bash", "zsh", "fish"])("the script for %s has every option of every command", async (shell) => {
  const { stdout } = await runCaptured(["completion", shell]);
  const options = (await commandDefinitions()).flatMap(({ options: names }) => names);
  const missing = options.filter(
    (name) => !new RegExp(shell === "fish" ? `-l ${name.slice(2)} ` : `${name}\\b`).test(stdout),
  );
  expect(missing).toEqual([]);
});

test("another shell is refused with the list of supported ones", async () => {
  expect(await runCaptured(["completion", "tcsh"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "Name a shell: bash, zsh, fish.\n",
  });
});
