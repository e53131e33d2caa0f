import { compare, linesOf } from "../../../lib/line-diff.ts";

/** Lines that both texts keep, or that one of them or both changed. */
export type MergePart =
  | { kind: "agreed"; text: string }
  | { kind: "conflict"; base: string; mine: string; theirs: string };

/** Merges two changed texts of one base. Lines that only one of the texts changed are taken from that text. */
export function mergeLines(texts: { base: string; mine: string; theirs: string }): MergePart[] {
  const [base, mine, theirs] = [linesOf(texts.base), linesOf(texts.mine), linesOf(texts.theirs)];
  const mineAt = counterparts(base, mine);
  const theirsAt = counterparts(base, theirs);
  const parts: MergePart[] = [];
  let [b, m, t] = [0, 0, 0];
  while (b <= base.length) {
    let next = b;
    while (next < base.length && (mineAt[next] === undefined || theirsAt[next] === undefined)) next += 1;
    const mineEnd = mineAt[next] ?? mine.length;
    const theirsEnd = theirsAt[next] ?? theirs.length;
    add(parts, {
      base: base.slice(b, next).join(""),
      mine: mine.slice(m, mineEnd).join(""),
      theirs: theirs.slice(t, theirsEnd).join(""),
    });
    const kept = base[next];
    if (kept !== undefined) add(parts, { base: kept, mine: kept, theirs: kept });
    [b, m, t] = [next + 1, mineEnd + 1, theirsEnd + 1];
  }
  return parts;
}

/**
 * Returns for each line of the first text the index of the same line in the second; undefined if the second lacks it.
 */
function counterparts(before: readonly string[], after: readonly string[]): (number | undefined)[] {
  const found: (number | undefined)[] = [];
  let at = 0;
  for (const { kind } of compare(before, after)) {
    if (kind === "same") found.push(at);
    if (kind === "removed") found.push(undefined);
    if (kind !== "removed") at += 1;
  }
  return found;
}

function add(
  parts: MergePart[],
  { base, mine, theirs }: { base: string; mine: string; theirs: string },
): void {
  if (mine !== theirs && mine !== base && theirs !== base) {
    parts.push({ kind: "conflict", base, mine, theirs });
    return;
  }
  const text = mine === base ? theirs : mine;
  const last = parts.at(-1);
  if (text === "") return;
  if (last?.kind === "agreed") last.text += text;
  else parts.push({ kind: "agreed", text });
}

export type MergeChoice = "mine" | "theirs" | "both";

/** The merged text; `choices` are those of the conflicts, in their order. */
export function mergedText(parts: readonly MergePart[], choices: readonly MergeChoice[]): string {
  let conflict = 0;
  return parts
    .map((part) => {
      if (part.kind === "agreed") return part.text;
      const choice = choices[conflict++] ?? "mine";
      return choice === "both" ? withBreak(part.theirs) + part.mine : part[choice];
    })
    .join("");
}

/** The last line of a text may have no line break. */
function withBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
