// Compares each version of an API description in a git repository with the next one, and prints what each change breaks, as a part of
// docs/reports/contract-histories.md: `node bench/contract-histories.ts CLONE FILE [--from DATE]`. It measures no time, and `npm test` does not run it.
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import type { Description } from "@waymark/contract-diff/read/description.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { isObject, type JsonValue } from "@waymark/openapi/json.ts";

/** Fields that say nothing about what may be sent. */
const TEXTS =
  /^(?:description|summary|title|termsOfService|externalDocs|examples?|x-.*|tags|contact|license|version)$/;
/** Objects whose fields are names that the API chose. */
const MAPS =
  /^(?:properties|patternProperties|\$defs|schemas|paths|responses|headers|parameters|variables|mapping|scopes|callbacks|webhooks)$/;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { from: { type: "string", default: "1970-01-01" } },
});
const [clone, file] = positionals;
if (clone === undefined || file === undefined) throw new Error("Give the clone and the file.");

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", clone, ...args], { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });

interface Version {
  commit: string;
  day: string;
  text: string;
}

function versionsOf(): Version[] {
  const log = git(
    "log",
    "--reverse",
    "--first-parent",
    `--since=${values.from}`,
    "--format=%h %cs",
    "--",
    file ?? "",
  );
  return log
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [commit = "", day = ""] = line.split(" ");
      const isDeleted = git("ls-tree", commit, "--", file ?? "") === "";
      return isDeleted ? [] : [{ commit, day, text: git("show", `${commit}:${file}`) }];
    });
}

/** Returns a value without the texts for people: two descriptions with equal ones allow the same. */
function withoutTexts(value: JsonValue, isMap = false): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => isMap || !TEXTS.test(name));
  return Object.fromEntries(
    kept
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, item]) => [name, withoutTexts(item, !isMap && MAPS.test(name))]),
  );
}

const meaningOf = ({ root }: Description): string => JSON.stringify(withoutTexts(root));

async function compare(base: Version, head: Version) {
  const load = ({ text }: Version) => loadDescription({ text, name: file ?? "" });
  const [one, other] = [await load(base), await load(head)];
  const { verdicts, notCompared } = compareContracts(one, other, { today: head.day });
  return { verdicts, notCompared, isTextOnly: meaningOf(one) === meaningOf(other) };
}

const KINDS_MAX = 4;
const total = { pairs: 0, breaking: 0, textOnly: 0, noisy: 0, notCompared: 0, failed: 0 };

/** Returns the line of two versions, and counts them. */
async function lineOf(base: Version, head: Version): Promise<string> {
  const { verdicts, notCompared, isTextOnly } = await compare(base, head);
  const [breaking = 0, maybe = 0, safe = 0] = ["breaking", "maybe", "safe"].map(
    (level) => verdicts.filter((verdict) => verdict.level === level).length,
  );
  if (breaking > 0) total.breaking++;
  if (isTextOnly) total.textOnly++;
  if (isTextOnly && breaking + maybe > 0) total.noisy++;
  if (notCompared.length > 0) total.notCompared++;
  const kinds = [...new Set(verdicts.flatMap(({ level, id }) => (level === "breaking" ? [id] : [])))];
  const some = [...kinds.slice(0, KINDS_MAX), ...(kinds.length > KINDS_MAX ? ["…"] : [])].join(", ");
  const counts = `breaking ${breaking}, maybe ${maybe}, safe ${safe}`;
  return `${head.day} ${base.commit}..${head.commit} ${counts}${some === "" ? "" : `: ${some}`}`;
}

let base: Version | undefined;
for (const head of versionsOf()) {
  if (base !== undefined) {
    total.pairs++;
    const line = await lineOf(base, head).catch((error: unknown) => {
      total.failed++;
      return `${head.day} ${head.commit} failed: ${String(error)}`;
    });
    console.log(line);
  }
  base = head;
}
console.log(`\n${JSON.stringify(total)}`);
