import { findService } from "../../api/services-api.ts";
import { readRunDescription } from "../../api/descriptions-api.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { connect } from "../../framework/connect.ts";
import type { ConnectionFlags } from "../../framework/connection-flags.ts";
import type { CliContext } from "../../framework/context.ts";
import { getRunService } from "../../api/verdicts-api.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { addApprovals, type Approved, withoutApprovals } from "../contract/add-approvals.ts";
import type { JudgedComparison } from "../contract/judged-comparison.ts";
import { isOnServer, type RemoteReaders } from "./find-source.ts";
import { readAddress } from "./read-address.ts";

export interface RemoteFlags extends ConnectionFlags {
  head: string;
  service: string | undefined;
  allowUrl: boolean | undefined;
}

/** The server, as far as a comparison needs it. */
export interface Remote extends RemoteReaders {
  /** Adds the approvals of the service whose runs were read. Returns the comparison as it is if none was. */
  approve: (comparison: JudgedComparison) => Promise<Approved>;
}

/** A run that was read. */
interface ReadRun {
  id: string;
  /** Undefined if it is not known yet. */
  serviceId: string | undefined;
}

/** Returns the readers of descriptions that are on no disk. They connect when they are first used. */
export function remoteReaders(
  context: CliContext,
  reporter: Reporter,
  { flags, service }: { flags: RemoteFlags; service: string | undefined },
): Remote {
  let connecting: Promise<ApiConnection> | undefined;
  const connection = () => (connecting ??= connect(context, reporter, flags));
  const runs: ReadRun[] = [];
  return {
    readRun: async (run) => {
      const server = await connection();
      const found = run === undefined ? await currentRun(server, service) : { id: run, serviceId: undefined };
      runs.push(found);
      return readStored(server, found.id, run === undefined);
    },
    readUrl: (url) => readAddress(context, url, flags),
    approve: async (comparison) => {
      if (runs.length === 0) return { comparison, notes: [] };
      return approveRuns(await connection(), comparison, { runs, isHead: isOnServer(flags.head) });
    },
  };
}

/** Adds the approvals of the runs' service. The head is the last run that was read, if it is one. */
async function approveRuns(
  connection: ApiConnection,
  comparison: JudgedComparison,
  { runs, isHead }: { runs: readonly ReadRun[]; isHead: boolean },
): Promise<Approved> {
  const serviceIds = new Set<string>();
  try {
    for (const { id, serviceId } of runs)
      serviceIds.add(serviceId ?? (await getRunService(connection, id)).serviceId);
  } catch (error) {
    return withoutApprovals(comparison, error);
  }
  const [serviceId = "", another] = serviceIds;
  if (another !== undefined)
    return { comparison, notes: ["no approval was looked for, because the runs are those of two services."] };
  const usedBy = isHead ? runs.at(-1)?.id : undefined;
  return addApprovals(connection, comparison, { serviceId, usedBy, namesOthers: true });
}

async function currentRun(connection: ApiConnection, name: string | undefined): Promise<ReadRun> {
  if (name === undefined) {
    throw usageError("current is the current run of a service: name it with --service, or in waymark.yaml.");
  }
  const service = await findService(connection, name);
  const shown = printable(name, 200);
  if (service === null)
    throw usageError(`There is no service "${shown}", or the key may not read it (services:read).`);
  if (service.currentScanRunId !== null) return { id: service.currentScanRunId, serviceId: service.id };
  throw usageError(`The service "${shown}" has no current run yet: scan it first.`);
}

async function readStored(connection: ApiConnection, run: string, isCurrent: boolean): Promise<Buffer> {
  const stored = await readRunDescription(connection, run);
  if (Buffer.isBuffer(stored)) return stored;
  const which = isCurrent ? `The current run ${run}` : `The run ${run}`;
  if (stored === "missing") {
    throw usageError(
      `${which} has no stored description. Scan again with this version of waymark and without --no-description.`,
    );
  }
  throw usageError(
    `${which} can't be read: there is no such run, or ${connection.baseUrl} is an older server, which stores no descriptions.`,
  );
}
