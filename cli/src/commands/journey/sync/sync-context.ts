import type { ApiConnection } from "../../../api/api-client.ts";
import { getOrganizationId } from "../../../api/keys-api.ts";
import type { CliContext } from "../../../framework/context.ts";
import { createReporter, type Reporter } from "../../../lib/reporter.ts";
import { connect } from "../../../framework/connect.ts";
import type { ConnectionFlags } from "../../../framework/connection-flags.ts";
import { listRemote, type RemoteDocument } from "./documents-api.ts";
import { type DocumentOwner, readState, type SyncedFile } from "./sync-state.ts";

/** The server's documents, and what this folder knows of them. */
export interface SyncContext {
  connection: ApiConnection;
  owner: DocumentOwner;
  reporter: Reporter;
  remote: Map<string, RemoteDocument>;
  state: Map<string, SyncedFile>;
}

export async function openSync(
  context: CliContext,
  flags: ConnectionFlags,
  root: string,
): Promise<SyncContext> {
  const reporter = createReporter(context.stderr, { quiet: false });
  const connection = await connect(context, reporter, flags);
  const [remote, organizationId] = await Promise.all([listRemote(connection), getOrganizationId(connection)]);
  const owner = { server: connection.baseUrl, organizationId };
  return { connection, owner, reporter, remote, state: await readState(root, owner) };
}
