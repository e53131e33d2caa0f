import { usageError } from "../../../lib/cli-error.ts";
import type { CoverageSummary } from "./aggregate-results.ts";

/** The number of covered items of a kind, and of all its items. */
export interface Share {
  covered: number;
  total: number;
}

const SHARES: Record<string, (sum: CoverageSummary) => Share> = {
  acceptance: ({ acceptance }) => share(acceptance, ({ status }) => status === "proven"),
  must: ({ acceptance }) =>
    share(
      acceptance.filter(({ severity }) => severity === "must"),
      ({ status }) => status === "proven",
    ),
  operations: ({ operations }) => share(operations, ({ calls }) => calls > 0),
  asserted: ({ operations }) => share(operations, ({ asserted }) => asserted),
};

/** The gates that a percentage without a name applies to. */
const DEFAULT_NAMES = ["acceptance", "operations"];

interface Gate {
  name: string;
  percent: number;
}

/** @throws {CliError} if a gate is neither a percentage nor name=percentage */
export function readGates(given: readonly string[]): Gate[] {
  return given.flatMap((text) => {
    const [, name, number = ""] = /^(?:([a-z]+)=)?(\d{1,3}(?:\.\d+)?)%?$/.exec(text) ?? [];
    const percent = number === "" ? Number.NaN : Number(number);
    if (!(percent <= 100) || (name !== undefined && !Object.hasOwn(SHARES, name))) {
      throw usageError(
        `--min takes a percentage from 0 to 100, of all or of one of ${Object.keys(SHARES).join(", ")}.`,
      );
    }
    return (name === undefined ? DEFAULT_NAMES : [name]).map((gate) => ({ name: gate, percent }));
  });
}

/** The coverage of every kind that a gate can check. */
export function sharesOf(sum: CoverageSummary): Record<string, Share> {
  return Object.fromEntries(Object.entries(SHARES).map(([name, measure]) => [name, measure(sum)]));
}

/** A line for each gate that the shares don't reach. */
export function failedGates(gates: readonly Gate[], shares: Readonly<Record<string, Share>>): string[] {
  return gates.flatMap(({ name, percent }) => {
    const { covered, total } = shares[name] ?? { covered: 0, total: 0 };
    if (percentOf({ covered, total }) >= percent) return [];
    return `Gate ${name} failed: ${covered} of ${total}, at least ${percent} % are required.`;
  });
}

/** A share as text, such as `2 of 3 (66 %)`. */
export function shareText({ covered, total }: Share = { covered: 0, total: 0 }): string {
  return `${covered} of ${total} (${Math.floor(percentOf({ covered, total }))} %)`;
}

/** Nothing to cover counts as fully covered. */
function percentOf({ covered, total }: Share): number {
  return total === 0 ? 100 : (100 * covered) / total;
}

function share<T>(items: readonly T[], isCovered: (item: T) => boolean): Share {
  return { covered: items.filter(isCovered).length, total: items.length };
}
