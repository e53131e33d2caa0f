// A check of `npm run check`: refuses comments that begin like a fragment, because a reader has to guess their subject.
// Usage: node comments.ts [FOLDER], by default the checkout.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./bootstrap/checkout.mjs";

/** The start of a comment that is no sentence with a subject and a verb, such as "Returns …" or "A run that waits for a worker." */
const FRAGMENT = /^\s*(?:\/\*\*|\/\/|--)\s+(What|Of|That|Who|Whose|The same)\s/;

const folder = process.argv[2] ?? root;
const files = globSync(["**/*.{ts,tsx,mjs,sql}", ".*.mjs"], {
  cwd: folder,
  exclude: (name) => /(^|[\\/])(node_modules|dist|\.waymark)$/.test(name),
});
const faults = files.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(
    `\n${faults.length} comments begin with a fragment. Begin with a subject or a verb, as CONTRIBUTING.md says.`,
  );
  process.exitCode = 1;
}

function faultsOf(file: string): string[] {
  const lines = readFileSync(path.join(folder, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const before = lines[index - 1]?.trim() ?? "";
    // The first line of a doc comment may be `/**` alone.
    const [, opening] = FRAGMENT.exec(before === "/**" ? line.replace(/^\s*\*/, "/**") : line) ?? [];
    // Only the first line of a comment of several lines is its start.
    const [marker] = /^(?:\/\/|--)/.exec(line.trimStart()) ?? [];
    const isStart = marker === undefined || !before.startsWith(marker);
    return opening === undefined || !isStart ? [] : [`${file}:${index + 1}: "${opening} …"`];
  });
}
