import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { commandDefinitions } from "../test-support/command-definitions.ts";
import { runCaptured } from "../test-support/run-captured.ts";

let script = "";
beforeAll(async () => {
  ({ stdout: script } = await runCaptured(["completion", "bash"]));
});

/** What bash (any since 3.2, needed by this test) offers for the last word; nothing where it is to offer files. */
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
    expect(complete("--v")).toEqual(["--version"]);
  });

  test("the options of a command, also without a dash where it takes nothing else", () => {
    expect(complete("scan", "--fail")).toEqual(["--fail-on", "--fail-on-removed"]);
    expect(complete("flush", "--fail")).toEqual([]);
    expect(complete("journey", "new", "--res")).toEqual(["--resource"]);
    expect(complete("flush", "")).toContain("--spool");
  });

  test("values of a fixed set, behind a blank and behind =, which bash makes a word of its own", () => {
    const severities = ["info", "low", "medium", "high", "critical"];
    expect(complete("scan", "--fail-on", "")).toEqual(severities);
    expect(complete("scan", "--lint", "--fail-on", "=")).toEqual(severities);
    expect(complete("scan", "--fail-on", "=", "h")).toEqual(["high"]);
    expect(complete("scan", "--on-upload-error", "=", "w")).toEqual(["warn"]);
    expect(complete("journey", "run", "a.yaml", "--report", "ju")).toEqual(["junit="]);
    expect(complete("completion", "z")).toEqual(["zsh"]);
    expect(complete("completion", "bash", "z")).toEqual([]);
  });

  test("nothing for the value of any name, and files by itself, which quotes blanks", () => {
    expect(complete("scan", "--service", "")).toEqual([]);
    for (const files of [
      ["scan", "--spec", ""],
      ["scan", "--spec", "=", ""],
      ["journey", "lint", ""],
    ]) {
      expect(complete(...files)).toEqual([]);
    }
    expect(script).toContain("\ncomplete -o default -F _waymark waymark\n");
  });
});

// Their own shells check these scripts: `node cli/check-completion.ts`, where zsh and fish are installed.
test.each(["bash", "zsh", "fish"])("the script for %s has every option of every command", async (shell) => {
  const { stdout } = await runCaptured(["completion", shell]);
  const options = (await commandDefinitions()).flatMap(({ options: names }) => names);
  const missing = options.filter(
    (name) => !new RegExp(shell === "fish" ? `-l ${name.slice(2)} ` : `${name}\\b`).test(stdout),
  );
  expect(missing).toEqual([]);
});

test("another shell is refused with those that there are", async () => {
  expect(await runCaptured(["completion", "tcsh"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "Name a shell: bash, zsh, fish.\n",
  });
});
