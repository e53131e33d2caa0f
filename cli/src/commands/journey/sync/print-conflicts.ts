import type { CliContext } from "../../../framework/context.ts";
import type { ApiConnection } from "../../../api/api-client.ts";
import { unifiedDiff } from "../../../lib/unified-diff.ts";
import { writeLine } from "../../../lib/output.ts";
import { readRemote } from "./documents-api.ts";

/** A file whose document on the server is no longer the version that the file was made from. */
export interface Conflict {
  path: string;
  /** The text of the file. */
  text: string;
  /** The newest version; undefined if there is none. */
  head: { id: string; version: number } | undefined;
}

/** Prints for each document its version on the server and how the file differs from it. */
export async function printConflicts(
  { stdout }: Pick<CliContext, "stdout">,
  connection: ApiConnection,
  conflicts: readonly Conflict[],
): Promise<void> {
  for (const { path, text, head } of conflicts) {
    if (head === undefined) {
      writeLine(stdout, `✗ ${path}: it is not on the server any more.`);
      continue;
    }
    writeLine(
      stdout,
      `✗ ${path}: version ${head.version} on the server is not what your file was made from.`,
    );
    const { text: there } = await readRemote(connection, head);
    // Line by line, because both texts are foreign: their colours and controls are escaped.
    for (const line of unifiedDiff(there, text, path).trimEnd().split("\n")) writeLine(stdout, line);
  }
}
