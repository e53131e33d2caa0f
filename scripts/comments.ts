// A check of `npm run check`: refuses comments that begin like a fragment, because a reader has to guess their subject.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./bootstrap/checkout.mjs";

/** A doc comment is a sentence with a subject and a verb: "Returns …", "A run that waits for a worker." */
const FRAGMENT = /(?:\/\*\*|^--|^\s*\/\/)\s+(?:\*\s+)?(What|Of|That|Who|Whose|The same)\s/;
const COMMENT_START = /^\s*(?:\/\*\*|\/\/|--)/;

const files = execFileSync("git", ["ls-files", "-z", "*.ts", "*.tsx", "*.mjs", "*.sql"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file !== "");
const faults = files.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(
    `\n${faults.length} comments begin with a fragment. Begin with a subject or a verb, as CONTRIBUTING.md says.`,
  );
  process.exitCode = 1;
}

function faultsOf(file: string): string[] {
  const lines = readFileSync(path.join(root, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    // The first line of a doc comment may be `/**` alone.
    const opened = lines[index - 1]?.trim() === "/**" ? line.replace(/^\s*\*/, "/**") : line;
    if (!COMMENT_START.test(opened) || continuesComment(lines, index)) return [];
    const [, opening] = FRAGMENT.exec(opened.trimStart()) ?? [];
    return opening === undefined ? [] : [`${file}:${index + 1}: "${opening} …"`];
  });
}

/** True for a line of a comment of several lines that is not its first. */
function continuesComment(lines: readonly string[], index: number): boolean {
  const marker = /^\s*(\/\/|--)/.exec(lines[index] ?? "")?.[1];
  return marker !== undefined && (lines[index - 1] ?? "").trimStart().startsWith(marker);
}
