import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import type { Position, Verdict } from "@waymark/contract-diff/verdict.ts";
import { parentPointer } from "@waymark/openapi/pointer.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import type { ContractSide } from "./contract-side.ts";
import type { Approval, JudgedComparison } from "./judged-comparison.ts";

export interface JudgeOptions {
  contract: ProjectFile["contract"];
  /** The day by which announced ends are over, as `YYYY-MM-DD`. */
  today: string;
}

/** Compares two descriptions, and judges each difference. */
export async function judgeContracts(
  before: ContractSide,
  after: ContractSide,
  { contract, today }: JudgeOptions,
): Promise<JudgedComparison> {
  const comparison = compareContracts(before.contract, after.contract, {
    today,
    levels: contract?.levels,
    noticeDays: contract?.noticeDays,
    ignores: contract?.ignores,
  });
  const { verdicts } = comparison;
  const near = new Map(verdicts.map((verdict) => [verdict.fingerprint, nearestInHead(verdict, after)]));
  // Verdicts can share an object.
  await before.place([...new Set(verdicts.flatMap(({ base }) => base ?? []))]);
  const inHead = [...verdicts.map(({ head }) => head), ...near.values()];
  inHead.push(...comparison.notCompared.map(({ place }) => place));
  await after.place([...new Set(inHead.filter((position) => position !== undefined))]);
  return {
    ...comparison,
    headPlaceOf: ({ head, fingerprint }) => head ?? near.get(fingerprint),
    fileOf: after.fileOf,
  };
}

/** Adds the approvals that hold, by the fingerprints of their changes. An exception of `waymark.yaml` needs none. */
export function withApprovals(
  comparison: JudgedComparison,
  approvals: ReadonlyMap<string, Approval>,
): JudgedComparison {
  const verdicts = comparison.verdicts.map((verdict) => {
    const approval = verdict.accepted === undefined ? approvals.get(verdict.fingerprint) : undefined;
    return approval === undefined ? verdict : { ...verdict, approval };
  });
  return { ...comparison, verdicts };
}

/** Returns the place of the head that is nearest to what it no longer has; undefined if the verdict has a place in the head. */
function nearestInHead({ head, base }: Verdict, { contract }: ContractSide): Position | undefined {
  if (head !== undefined) return undefined;
  const file = base !== undefined && contract.textOf(base.file) !== undefined ? base.file : "";
  for (let pointer = base?.pointer ?? ""; pointer !== ""; pointer = parentPointer(pointer))
    if (contract.target(`#${pointer.replaceAll("%", "%25")}`, file) !== undefined) return { file, pointer };
  return { file, pointer: "" };
}
