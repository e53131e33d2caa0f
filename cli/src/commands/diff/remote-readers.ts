import { findService } from "../../api/services-api.ts";
import { readRunDescription } from "../../api/descriptions-api.ts";
import type { ApiConnection } from "../../api/api-client.ts";
import { connect } from "../../framework/connect.ts";
import type { ConnectionFlags } from "../../framework/connection-flags.ts";
import type { CliContext } from "../../framework/context.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import type { RemoteReaders } from "./find-source.ts";
import { readAddress } from "./read-address.ts";

export interface RemoteFlags extends ConnectionFlags {
  service: string | undefined;
  allowUrl: boolean | undefined;
}

/** Returns the readers of descriptions that are on no disk. They connect when they are first used. */
export function remoteReaders(
  context: CliContext,
  reporter: Reporter,
  { flags, service }: { flags: RemoteFlags; service: string | undefined },
): RemoteReaders {
  let connecting: Promise<ApiConnection> | undefined;
  const connection = () => (connecting ??= connect(context, reporter, flags));
  return {
    readRun: async (run) => {
      const server = await connection();
      return readStored(server, run ?? (await currentRun(server, service)), run === undefined);
    },
    readUrl: (url) => readAddress(context, url, flags),
  };
}

async function currentRun(connection: ApiConnection, name: string | undefined): Promise<string> {
  if (name === undefined) {
    throw usageError("current is the current run of a service: name it with --service, or in waymark.yaml.");
  }
  const service = await findService(connection, name);
  const shown = printable(name, 200);
  if (service === null)
    throw usageError(`There is no service "${shown}", or the key may not read it (services:read).`);
  if (service.currentScanRunId !== null) return service.currentScanRunId;
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
