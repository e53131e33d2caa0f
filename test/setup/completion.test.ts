import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findOrInstall } from "@waymark/test-support/debian-package.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCaptured } from "../../cli/src/test-support/run-captured.ts";

const run = promisify(execFile);

/** A command line, and a completion that the shell must offer at its end. */
const CASES = [
  ["waymark ", "scan"],
  ["waymark journey ", "coverage"],
  ["waymark journey schedule ", "resume"],
  ["waymark journey schedule set n --over", "--overlap"],
  ["waymark scan --fail-on-", "--fail-on-removed"],
  ["waymark scan --fail-on ", "critical"],
  ["waymark scan --fail-on=", "critical"],
  ["waymark scan --format ", "jsonl"],
  ["waymark journey run --report ju", "junit="],
  ["waymark completion ", "fish"],
  ["waymark help jour", "journey"],
  ["waymark login --api", "--api-url"],
  ["waymark scan --service-from ", "title"],
  ["waymark scan --config ", "a b.yaml"],
  ["waymark scan --spec ", "a b.yaml"],
  ["waymark scan --spec=", "a b.yaml"],
  ["waymark comment ", "a b.yaml"],
  ["waymark journey lint a", "a b.yaml"],
] as const;

/** Between the lists of two command lines. */
const NEXT = "=next=";

// Readline completes at a terminal only; this is its own list for a pattern of words.
const BASH = `
source "$1"; shift
list() {
  line=$1; COMP_WORDS=(); COMPREPLY=()
  for word in $line; do
    case $word in --*=*) COMP_WORDS+=("\${word%%=*}" "="); [ -n "\${word#*=}" ] && COMP_WORDS+=("\${word#*=}") ;; *) COMP_WORDS+=("$word") ;; esac
  done
  case $line in *" ") COMP_WORDS+=("") ;; esac
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _waymark
  if [ "\${#COMPREPLY[@]}" -eq 0 ] && complete -p waymark | grep -q -- "-o default"; then
    current=\${COMP_WORDS[COMP_CWORD]}; compgen -f -- "\${current#=}"
  else printf '%s\\n' "\${COMPREPLY[@]}"; fi
}
for one; do list "$one"; echo "${NEXT}"; done`;

// A second zsh at a pseudo-terminal, whose lists of completions are read: below each, the line is shown again. Keys count only when
// the line editor has begun to read, which it says by turning on bracketed paste. After each list, a key empties the line.
const ZSH = `
zmodload zsh/zpty zsh/zselect; zpty shell zsh -f -i
put() { zpty -w shell "$1"; }
put 'PS1=; autoload -Uz compinit; compinit -u -D; LISTMAX=1000; zstyle ":completion:*" list-colors ""'
put 'empty() { BUFFER=; zle -I; print EMPTY-""NOW; }; zle -N empty; bindkey "^T" empty'
put "source $1; bindkey '^X' list-choices; setopt no_always_last_prompt; echo READY-''NOW"
zpty -r shell line '*READY-NOW*2004h*'
shift
for one; do
  zpty -w -n shell "$one"$'\\x18'
  text=
  for i in {1..600}; do
    while zpty -rt shell line; do text+=$line; done
    [[ \${text##*$'\\n'} = *$'\\e[J'waymark* ]] && break
    zselect -t 10
  done
  print -r -- "$text"; print -- "${NEXT}"
  zpty -w -n shell $'\\x14'
  zpty -r shell line '*EMPTY-NOW*'
done
zpty -d shell`;

const FISH = `source $argv[1]; for line in $argv[2..-1]; complete -C $line; echo "${NEXT}"; end`;

/** The arguments of a shell that lists the completions of command lines, which follow. */
const SHELLS: Record<string, (script: string) => string[]> = {
  bash: (script) => ["--norc", "-c", BASH, "bash", script],
  zsh: (script) => ["-f", "-c", ZSH, "zsh", script],
  fish: (script) => ["--no-config", "-c", FISH, script],
};

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "waymark-completion-"));
  await writeFile(path.join(folder, "a b.yaml"), "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(Object.entries(SHELLS))("%s itself", (shell, argumentsFor) => {
  let program = "";
  let script = "";
  beforeAll(async () => {
    const found = await findOrInstall([shell], {
      debianPackage: shell,
      manual: `This test needs ${shell} on the PATH (Debian and Ubuntu: apt-get install ${shell}; macOS: brew install ${shell}).`,
    });
    if ("whatToDo" in found) throw new Error(found.whatToDo);
    program = found.file;
    script = path.join(folder, `waymark.${shell}`);
    await writeFile(script, (await runCaptured(["completion", shell])).stdout);
  });

  test("reads the script without a complaint", async () => {
    expect(await run(program, ["-n", script])).toEqual({ stdout: "", stderr: "" });
  });

  describe("completes", () => {
    let lists: string[] = [];
    beforeAll(async () => {
      const lines = CASES.map(([line]) => line);
      const { stdout } = await run(program, [...argumentsFor(script), ...lines], {
        cwd: folder,
        env: { ...process.env, TERM: "xterm" },
      });
      lists = stdout.split(NEXT);
    });

    test.each(CASES.map(([line, expected], index) => [line, expected, index] as const))(
      "%j to %s",
      (_line, expected, index) => {
        // Shells quote a blank.
        expect(lists).toHaveLength(CASES.length + 1);
        expect(lists[index]?.replaceAll("\\ ", " ")).toContain(expected);
      },
    );
  });
});
