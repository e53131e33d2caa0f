import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { runCaptured } from "../test-support/run-captured.ts";

function complete(script: string, words: string[]): string[] {
  const line = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _waymark; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", line], { encoding: "utf8" }).trim().split("\n");
}

test("bash completes commands, and the options of a command", async () => {
  const { stdout, exitCode } = await runCaptured(["completion", "bash"]);
  expect(exitCode).toBe(0);
  expect(complete(stdout, ["waymark", "sc"])).toEqual(["scan"]);
  expect(complete(stdout, ["waymark", "scan", "--fail"])).toEqual(["--fail-on", "--fail-on-removed"]);
  expect(complete(stdout, ["waymark", "flush", "--fail"])).toEqual([""]);
  expect(complete(stdout, ["waymark", "jou"])).toEqual(["journey"]);
  expect(complete(stdout, ["waymark", "journey", "co"])).toEqual(["coverage"]);
  expect(complete(stdout, ["waymark", "journey", "new", "--res"])).toEqual(["--resource"]);
});

test("zsh and fish have every option too; another shell is refused with those that there are", async () => {
  for (const shell of ["zsh", "fish"]) {
    const { stdout } = await runCaptured(["completion", shell]);
    expect(stdout).toContain("report-sarif");
  }
  expect(await runCaptured(["completion", "tcsh"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "Name a shell: bash, zsh, fish.\n",
  });
});
