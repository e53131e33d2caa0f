// Checks the completion scripts in the shells themselves: node cli/check-completion.ts. It checks the shells that are
// installed and names the others; on Debian: apt-get install zsh fish.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");

/** A command line, and a completion that the shell must offer at its end. */
const CASES = [
  ["waymark ", "scan"],
  ["waymark journey ", "coverage"],
  ["waymark scan --fail-on-", "--fail-on-removed"],
  ["waymark scan --fail-on ", "critical"],
  ["waymark scan --fail-on=", "critical"],
  ["waymark journey run --report ju", "junit="],
  ["waymark completion ", "fish"],
  ["waymark scan --spec ", "a b.yaml"],
  ["waymark scan --spec=", "a b.yaml"],
  ["waymark journey lint a", "a b.yaml"],
] as const;

/** How a shell lists the completions of a command line, one a line. */
const SHELLS: Record<string, (file: string, line: string) => string[]> = {
  // Readline completes at a terminal only; this is its own list for a pattern of words.
  bash: (file, line) => ["--norc", "-c", BASH, "bash", file, line],
  zsh: (file, line) => ["-f", "-c", ZSH, "zsh", file, line],
  fish: (file, line) => ["--no-config", "-c", `source ${quote(file)}; complete -C ${quote(line)}`],
};

const BASH = `
source "$1"; line=$2
COMP_WORDS=(); for word in $line; do
  case $word in --*=*) COMP_WORDS+=("\${word%%=*}" "="); [ -n "\${word#*=}" ] && COMP_WORDS+=("\${word#*=}") ;; *) COMP_WORDS+=("$word") ;; esac
done
case $line in *" ") COMP_WORDS+=("") ;; esac
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _waymark
if [ "\${#COMPREPLY[@]}" -eq 0 ] && complete -p waymark | grep -q -- "-o default"; then
  current=\${COMP_WORDS[COMP_CWORD]}; compgen -f -- "\${current#=}"
else printf '%s\\n' "\${COMPREPLY[@]}"; fi`;

// A second zsh at a pseudo-terminal, whose list of completions is read.
const ZSH = `
zmodload zsh/zpty; zpty shell zsh -f -i
put() { zpty -w shell "$1"; }
put 'PS1=; autoload -Uz compinit; compinit -u -D; LISTMAX=1000; zstyle ":completion:*" list-colors ""'
put "source $1; bindkey '^X' list-choices; setopt no_always_last_prompt; echo READY-NOW"
zpty -r shell line '*READY-NOW*READY-NOW*'
zpty -w -n shell "$2"$'\\x18'
sleep 1
while zpty -rt shell line; do print -r -- "$line"; done
zpty -d shell`;

const folder = mkdtempSync(path.join(tmpdir(), "waymark-completion-"));
let failures = 0;
try {
  writeFileSync(path.join(folder, "a b.yaml"), "");
  for (const [shell, argsFor] of Object.entries(SHELLS)) {
    if (spawnSync(shell, ["-c", "true"]).status !== 0) {
      console.log(`${shell}: not installed, so not checked`);
      continue;
    }
    failures += checkShell(shell, argsFor);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failures > 0 ? 1 : 0;

function checkShell(shell: string, argsFor: (file: string, line: string) => string[]): number {
  const script = execFileSync(process.execPath, [path.join(root, "cli/src/main.ts"), "completion", shell]);
  const file = path.join(folder, `waymark.${shell}`);
  writeFileSync(file, script);
  execFileSync(shell, ["-n", file], { stdio: "inherit" });
  const wrong = CASES.filter(([line, expected]) => {
    const { stdout } = spawnSync(shell, argsFor(file, line), { cwd: folder, encoding: "utf8" });
    // Shells quote a blank, and fish repeats the option before =.
    const offered = stdout.replaceAll("\\ ", " ");
    if (offered.includes(expected)) return false;
    console.log(
      `${shell}: "${line}" must offer ${expected}, and offers: ${JSON.stringify(stdout.slice(0, 300))}`,
    );
    return true;
  });
  console.log(`${shell}: ${CASES.length - wrong.length} of ${CASES.length} command lines`);
  return wrong.length;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
