import type { ApiConnection } from "../../api/api-client.ts";
import { readApprovals } from "../../api/approvals-api.ts";
import { CliError } from "../../lib/cli-error.ts";
import { plural, printable, sentence } from "../../lib/text.ts";
import { sentenceOf } from "./contract-gate.ts";
import { withApprovals } from "./judge-contracts.ts";
import { type JudgedComparison, type JudgedVerdict, ofLevel } from "./judged-comparison.ts";

/** The expired approvals that are named. */
const NAMED_MAX = 10;

export interface Approved {
  comparison: JudgedComparison;
  /** Says which approvals don't hold, without the end of the sentence. */
  notes: string[];
}

interface ApprovedService {
  serviceId: string;
  usedBy?: string | undefined;
  namesOthers?: boolean;
}

/**
 * Adds the approvals of a service's changes to those that gates would count. Approvals that can't be read don't hold, which a note says.
 *
 * @param options.usedBy the run whose approvals count although it has used them up
 * @param options.namesOthers true to say how many approvals are for other changes: in a pull request, those of others are
 */
export async function addApprovals(
  connection: ApiConnection,
  comparison: JudgedComparison,
  { serviceId, usedBy, namesOthers = false }: ApprovedService,
): Promise<Approved> {
  if (countedOf(comparison).length === 0) return { comparison, notes: [] };
  try {
    const open = await readApprovals(connection, serviceId, "open");
    let approved = withApprovals(comparison, open);
    if (usedBy !== undefined && countedOf(approved).length > 0) {
      const used = [...(await readApprovals(connection, serviceId, "used"))];
      approved = withApprovals(
        approved,
        new Map(used.filter(([, { usedByScanRunId }]) => usedByScanRunId === usedBy)),
      );
    }
    const counted = countedOf(approved);
    if (counted.length === 0) return { comparison: approved, notes: [] };
    const expired = await readApprovals(connection, serviceId, "expired");
    const notes = counted.flatMap((verdict) => {
      const until = expired.get(verdict.fingerprint)?.until ?? undefined;
      return until === undefined ? [] : [describeExpired(verdict, until)];
    });
    const more = notes.length - NAMED_MAX;
    const rest = more > 0 ? [`${plural(more, "further approval")} expired, too.`] : [];
    const others = namesOthers ? describeOthers(open, comparison) : [];
    return { comparison: approved, notes: [...notes.slice(0, NAMED_MAX), ...rest, ...others] };
  } catch (error) {
    return withoutApprovals(comparison, error);
  }
}

/** Returns the comparison as it is, with a note that approvals can't be read. @throws for an error that is none of the server or the network */
export function withoutApprovals(comparison: JudgedComparison, error: unknown): Approved {
  if (!(error instanceof CliError)) throw error;
  return { comparison, notes: [`approved changes count, too, because ${sentence(error.message)}`] };
}

/** Returns the changes that gates would count. */
function countedOf(comparison: JudgedComparison): JudgedVerdict[] {
  return [...ofLevel(comparison, "breaking"), ...ofLevel(comparison, "maybe")];
}

function describeOthers(
  open: ReadonlyMap<string, unknown>,
  { verdicts }: Pick<JudgedComparison, "verdicts">,
): string[] {
  const known = new Set(verdicts.map(({ fingerprint }) => fingerprint));
  const others = [...open.keys()].filter((fingerprint) => !known.has(fingerprint)).length;
  if (others === 0) return [];
  return [
    `${plural(others, "approval")} of the service ${others === 1 ? "is" : "are"} for none of these changes.`,
  ];
}

function describeExpired(verdict: JudgedVerdict, until: string): string {
  return `the approval of a change expired after ${printable(until, 20)}, so that it counts: ${sentence(sentenceOf(verdict))}`;
}
