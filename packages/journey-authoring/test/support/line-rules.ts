import { isScalar } from "yaml";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { OpenedText } from "../../src/edit/opened-text.ts";
import type { EditCommand } from "../../src/edit/command.ts";

/** Says which line an edit changed though it had no business to; undefined when all is well. */
export function checkLines(before: OpenedText, after: string, command: EditCommand): string | undefined {
  const old = before.text.split("\n");
  const now = after.split("\n");
  switch (command.op) {
    case "setScalar":
      return checkScalar(before, old, now, command.pointer);
    case "renameStep":
      return checkRename(old, now, command.stepId, command.to);
    case "renameAssertion":
      return checkRename(old, now, command.id, command.to);
    case "moveStep":
      return checkMove(old, now);
    case "insertStep":
      return checkSubsequence(old, now) ? undefined : "a line was lost or changed by an insertion";
    default:
      return checkSubsequence(now, old) ? undefined : "a line was changed by a removal";
  }
}

/** Commas at a line's end come and go with the items of JSON; carriage returns with the last line. */
function bare(line: string): string {
  return line.replace(/\r$/, "").replace(/,$/, "");
}

function inOneLine(lines: string[]): boolean {
  return lines.filter((line) => line.trim() !== "").length <= 2;
}

function checkSubsequence(part: string[], whole: string[]): boolean {
  if (inOneLine(part) || inOneLine(whole)) return true;
  let at = 0;
  let missing = 0;
  for (const line of part) {
    const found = whole.findIndex((other, index) => index >= at && bare(other) === bare(line));
    if (found < 0) missing += 1;
    else at = found + 1;
  }
  // A list in flow style stands on one line, and that line is the one that changes.
  return missing === 0 || (missing === 1 && part.some((line) => /steps["']?: *\[/.test(line)));
}

function sorted(lines: string[]): string {
  return lines.map(bare).toSorted().join("\n");
}

function checkMove(old: string[], now: string[]): string | undefined {
  if (sorted(old) === sorted(now)) return undefined;
  const changed = now.filter((line, index) => line !== old[index]);
  return changed.every((line) => /steps["']?: *\[/.test(line))
    ? undefined
    : "a move changed a line instead of moving it";
}

function checkRename(old: string[], now: string[], from: string, to: string): string | undefined {
  if (old.length !== now.length) return "a renaming changed the number of lines";
  const wrong = now.findIndex(
    (line, index) => line !== old[index] && line.replaceAll(to, () => from) !== old[index],
  );
  return wrong < 0 ? undefined : `a renaming changed more than the name in line ${wrong + 1}: ${now[wrong]}`;
}

function checkScalar(
  { ast, text }: OpenedText,
  old: string[],
  now: string[],
  pointer: string,
): string | undefined {
  const node: unknown = ast?.getIn(
    (decodePointer(pointer) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    true,
  );
  if (!isScalar(node) || !node.range) {
    const changed = old.length - commonStart(old, now) - commonEnd(old, now);
    return changed <= 1 ? undefined : "adding a member changed more than one line";
  }
  const first = text.slice(0, node.range[0]).split("\n").length - 1;
  const behind = text.slice(node.range[1]).split("\n").length - 1;
  if (commonStart(old, now) < first) return "a line before the scalar changed";
  return commonEnd(old, now) < behind ? "a line behind the scalar changed" : undefined;
}

function commonStart(a: string[], b: string[]): number {
  const differs = a.findIndex((line, index) => line !== b[index]);
  return differs < 0 ? a.length : differs;
}

function commonEnd(a: string[], b: string[]): number {
  return commonStart(a.toReversed(), b.toReversed());
}
