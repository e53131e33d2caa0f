import { toError } from "@waymark/shared/lib/to-error.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { readRunDescription } from "../../api/descriptions-api.ts";
import { findRunOfBranch, findService, type FoundService } from "../../api/services-api.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { printable, sentence } from "../../lib/text.ts";
import { decodeText } from "../../openapi/decode-text.ts";
import { addApprovals } from "./add-approvals.ts";
import type { ContractCheck, NotComparedReason } from "./contract-check.ts";
import { describeIdleIgnore } from "./describe-idle-ignore.ts";
import { judgeContracts } from "./judge-contracts.ts";
import { type ScannedContract, scannedContract } from "./scanned-contract.ts";
import { storedContract } from "./stored-contract.ts";

export interface ComparedScan {
  service: string;
  scanned: ScannedContract;
  contract: ProjectFile["contract"];
  /** The branch that a pull request is to be merged into; undefined to compare with the service's current run. */
  baseBranch: string | undefined;
}

interface Base {
  /** Null if there is none. */
  run: string | null;
  /** Says that another run is compared with than the one that was looked for. */
  note: string | undefined;
}

/**
 * Compares a scan with the description of its service's current run, or of the run of its base branch. Whatever goes wrong is a reason why it
 * is not compared.
 */
export async function compareWithCurrent(
  connection: ApiConnection,
  { service, scanned, contract, baseBranch }: ComparedScan,
): Promise<ContractCheck> {
  let against: string | null = null;
  const not = (reason: NotComparedReason, message: string): ContractCheck => ({
    status: "not_compared",
    against,
    reason,
    message,
  });
  try {
    const found = await findService(connection, service);
    if (found === null) return not("no_base", describeNoBase(service));
    const base = await findBase(connection, found, baseBranch);
    against = base.run;
    if (against === null) return not("no_base", describeNoBase(service));
    const stored = await readRunDescription(connection, against);
    if (stored === "missing") return not("no_base_description", describeMissing(against));
    if (stored === "unknown") return not("no_route", describeNoRoute(connection));
    const name = `run ${against}`;
    const before = await storedContract(decodeText(stored, name), name);
    const after = await scannedContract(scanned);
    const today = new Date().toISOString().slice(0, 10);
    const judged = await judgeContracts(before, after, { contract, today });
    const approved = await addApprovals(connection, judged, { serviceId: found.id });
    // An exception without a change can be one for another of the repository's services.
    const ended = judged.idleIgnores.filter(({ until }) => until !== undefined && until < today);
    const notes = [
      ...(base.note === undefined ? [] : [base.note]),
      ...ended.map((ignore) => describeIdleIgnore(ignore, today)),
      ...approved.notes,
    ];
    return {
      status: "compared",
      against,
      comparison: approved.comparison,
      note: notes.length === 0 ? undefined : notes.join("; "),
    };
  } catch (error) {
    if (!(error instanceof CliError)) return not("failed", describeFailure(error));
    if (error.exitCode === EXIT_CODES.access) return not("no_permission", describeAccess(error));
    const reason = error.exitCode === EXIT_CODES.unavailable ? "unavailable" : "failed";
    return not(reason, sentence(error.message));
  }
}

async function findBase(
  connection: ApiConnection,
  { id, currentScanRunId }: FoundService,
  branch: string | undefined,
): Promise<Base> {
  if (branch === undefined) return { run: currentScanRunId, note: undefined };
  const run = await findRunOfBranch(connection, id, branch);
  if (run !== null) return { run, note: undefined };
  const note = `compared with the service's current run, because no run of the base branch ${printable(branch, 100)} is stored`;
  return { run: currentScanRunId, note };
}

function describeNoBase(service: string): string {
  return `the service "${printable(service, 120)}" has no current run, so there is nothing to compare with.`;
}

function describeMissing(run: string): string {
  return (
    `the current run ${run} has no stored description. Scan the description that is current once more, with this version of ` +
    "waymark and without --no-description."
  );
}

function describeNoRoute({ baseUrl }: ApiConnection): string {
  return `${baseUrl} stores no descriptions: update the server.`;
}

function describeAccess({ message }: CliError): string {
  return `${sentence(message)} Give the key services:read and endpoints:read for this service.`;
}

function describeFailure(error: unknown): string {
  return `the descriptions could not be compared: ${sentence(toError(error).message)}`;
}
