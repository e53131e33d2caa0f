// The rules of GitHub and GitLab. Patterns are matched in steps, never as a regular expression: a file of a pull request must not
// decide how long that takes.

/** A line of a `CODEOWNERS` file. */
interface Rule {
  pattern: readonly string[];
  /** True if the pattern begins at the root of the repository. */
  isAnchored: boolean;
  /** True if the pattern is of a folder only. */
  isFolder: boolean;
  owners: readonly string[];
}

/** The rules of a section of GitLab, or of the whole file. */
type Section = Rule[];

const RULES_MAX = 20_000;
const SECTION = /^\^?\[([^\]]+)\](?:\[\d+\])?\s*(.*)$/;

/**
 * Returns the owners of a file by the text of a `CODEOWNERS`: those of the last rule that matches its path, in each section of GitLab.
 * @param file relative to the root of the repository, with `/`
 */
export function codeOwnersOf(text: string, file: string): string[] {
  const path = file.split("/");
  const owners = sectionsOf(text).flatMap(
    (rules) => rules.findLast((rule) => matches(rule, path))?.owners ?? [],
  );
  return [...new Set(owners)];
}

function sectionsOf(text: string): Section[] {
  const sections = new Map<string, Section>();
  let rules: Section = [];
  sections.set("", rules);
  let defaults: readonly string[] = [];
  let count = 0;
  for (const line of text.split(/\r?\n/)) {
    const [head = "", ...owners] = wordsOf(line);
    if (head === "" || count++ >= RULES_MAX) continue;
    const section = SECTION.exec(line.trim());
    if (section !== null) {
      const name = (section[1] ?? "").toLowerCase();
      rules = sections.get(name) ?? [];
      sections.set(name, rules);
      defaults = wordsOf(section[2] ?? "");
      continue;
    }
    rules.push({ ...patternOf(head), owners: owners.length === 0 ? defaults : owners });
  }
  return [...sections.values()];
}

/** Splits a line at its spaces, except those behind a backslash, and drops its comment. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const word of line.replaceAll("\\ ", "\0").split(/\s+/)) {
    if (word.startsWith("#")) break;
    if (word !== "") words.push(word.replaceAll("\0", " ").replace(/^\\#/, "#"));
  }
  return words;
}

function patternOf(word: string): Omit<Rule, "owners"> {
  const isFolder = word.endsWith("/");
  const trimmed = word.replace(/^\//, "").replace(/\/$/, "");
  const pattern = trimmed.split("/");
  return { pattern, isFolder, isAnchored: word.startsWith("/") || pattern.length > 1 };
}

/** True if the rule is of the file, or of a folder that it is in. */
function matches({ pattern, isAnchored, isFolder }: Rule, path: readonly string[]): boolean {
  const last = pattern.at(-1) ?? "";
  // `docs/*` is the files in docs, and not those of the folders in it.
  const isExact = isAnchored && last === "*";
  const starts = isAnchored ? [0] : path.keys();
  for (const start of starts) {
    const ends = matchEnds(pattern, path, start);
    for (const end of ends) if (end === path.length ? !isFolder : !isExact) return true;
  }
  return false;
}

/** Returns where matches of a pattern that begin at a segment of the path may end. */
function matchEnds(pattern: readonly string[], path: readonly string[], start: number): Set<number> {
  let ends = new Set([start]);
  for (const part of pattern) {
    const next = new Set<number>();
    if (part === "**") for (let end = Math.min(...ends); end <= path.length; end++) next.add(end);
    else
      for (const at of ends) if (at < path.length && matchesSegment(part, path[at] ?? "")) next.add(at + 1);
    ends = next;
  }
  return ends;
}

/** True if a segment matches a pattern with `*` and `?`. Only the last `*` is ever tried again. */
function matchesSegment(pattern: string, text: string): boolean {
  let [p, t, star, resume] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = t;
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
