import type { Comparison } from "@waymark/contract-diff/compare-contracts.ts";
import type { Position, Verdict } from "@waymark/contract-diff/verdict.ts";
import { plural, printable } from "../../lib/text.ts";
import {
  approvedOf,
  exceptedOf,
  type JudgedComparison,
  type JudgedVerdict,
  ofLevel,
} from "./judged-comparison.ts";

/** Verdicts of one level that are shown; --json has them all. */
const VERDICTS_MAX = 50;
const NAMED_MAX = 3;
const CHARS_MAX = 400;

export const TITLES = {
  breaking: "Breaks clients",
  maybe: "May break clients",
  safe: "Breaks no client",
  approved: "Approved",
  excepted: "With an exception",
} as const;

/** The verdicts as lines, by level and operation. */
export function verdictLines(comparison: JudgedComparison): string[] {
  const lines: string[] = [];
  for (const level of ["breaking", "maybe", "safe"] as const) {
    const verdicts = ofLevel(comparison, level);
    if (level !== "breaking" && verdicts.length === 0) continue;
    lines.push(`${TITLES[level]}: ${countOf(comparison, level, verdicts)}`, ...groupLines(verdicts));
  }
  for (const [kind, verdicts] of coveredOf(comparison)) {
    if (verdicts.length === 0) continue;
    lines.push(`${TITLES[kind]}: ${plural(verdicts.length, "change")}`, ...groupLines(verdicts));
  }
  const left = comparison.notCompared.slice(0, VERDICTS_MAX).map((part) => notComparedText(part));
  return [...lines, ...left];
}

/** Returns the changes that gates don't count, by the reason for that. */
export function coveredOf(comparison: JudgedComparison) {
  return [
    ["approved", approvedOf(comparison)],
    ["excepted", exceptedOf(comparison)],
  ] as const;
}

/** Such as `Not compared: the reference "pet.yaml" leads nowhere (openapi.yaml:12)`. */
export function notComparedText({ message, place }: Comparison["notCompared"][number]): string {
  return `Not compared: ${printable(message, CHARS_MAX)}${positionText(place)}`;
}

/** Says how much was compared, where nothing was found. */
function countOf({ operations }: Comparison, level: Verdict["level"], verdicts: readonly Verdict[]): string {
  if (verdicts.length > 0 || level !== "breaking") return plural(verdicts.length, "change");
  return `no change found in ${plural(operations.base, "operation")}`;
}

function groupLines(verdicts: readonly JudgedVerdict[]): string[] {
  const shown = verdicts.slice(0, VERDICTS_MAX);
  const groups = new Map<string, JudgedVerdict[]>();
  for (const verdict of shown) {
    const name = operationsText(verdict);
    groups.set(name, [...(groups.get(name) ?? []), verdict]);
  }
  const lines = [...groups].flatMap(([name, group]) => [
    `  ${printable(name, CHARS_MAX)}`,
    ...group.flatMap((verdict) => linesOf(verdict)),
  ]);
  const more = verdicts.length - shown.length;
  return more > 0 ? [...lines, `  … and ${more} more: --json has all`] : lines;
}

/** Such as `GET /pets`, or `5 operations: GET /pets, …`. */
export function operationsText({ operations }: Verdict): string {
  const names = operations.map(
    ({ method, path, kind }) => `${kind === "operation" ? "" : `${kind} `}${method} ${path}`,
  );
  if (names.length === 1) return names[0] ?? "";
  const listed = names.slice(0, NAMED_MAX).join(", ");
  return `${names.length} operations: ${listed}${names.length > NAMED_MAX ? ", …" : ""}`;
}

function linesOf(verdict: JudgedVerdict): string[] {
  const { message, witness, reason } = verdict;
  const cover = coverText(verdict);
  const place = positionText(verdict.head ?? verdict.base);
  return [
    `    ${printable(message, CHARS_MAX)}${place} [${verdict.id}]`,
    ...(witness === undefined ? [] : [`      ${witnessText(verdict)}`]),
    ...(reason === undefined ? [] : [`      undecided: ${printable(reason, CHARS_MAX)}`]),
    ...(cover === undefined ? [] : [`      ${printable(cover, CHARS_MAX)}`]),
  ];
}

/** Such as `approved by Ada until 2027-03-31: agreed with both clients`, with the key's id for a key of nobody; undefined for a change without an approval and an exception. */
export function coverText({ accepted, approval }: JudgedVerdict): string | undefined {
  if (accepted !== undefined) return `exception: ${accepted.reason}`;
  if (approval === undefined) return undefined;
  const until = approval.until ?? "it is current";
  const by = approval.approver?.displayName ?? `the key ${approval.approvedBy}`;
  return `approved by ${by} until ${until}: ${approval.reason}`;
}

/** Such as `no longer valid: {"limit":500}`. */
export function witnessText({ witness, direction }: Verdict): string {
  const text = printable(JSON.stringify(witness), CHARS_MAX);
  return direction === "request" ? `no longer valid: ${text}` : `can now arrive: ${text}`;
}

/** Such as ` (openapi.yaml:12)`; empty without a place. */
export function positionText(place: Position | undefined): string {
  return place === undefined ? "" : ` (${placeText(place)})`;
}

/** Such as `openapi.yaml:12`, or `current#/paths/~1pets` where a text has no lines. */
export function placeText(place: Position | undefined): string {
  if (place === undefined) return "";
  const at = place.line === undefined ? pointerText(place.pointer) : `:${place.line}`;
  return `${printable(place.file, 200)}${at}`;
}

function pointerText(pointer: string): string {
  return pointer === "" ? "" : `#${printable(pointer, CHARS_MAX)}`;
}
