import type { DatabaseTransactionConnection } from "../db/pool.ts";
import { compareScans, difference } from "@waymark/shared/scans/changes.ts";
import { type ChunkLists, findChunkLists, readEndpoints, readFindings } from "./content/queries.ts";

const EMPTY: ChunkLists = { endpoints: [], findings: [] };

/**
 * Compares the contents of two completed runs. It doesn't read the chunks that both have.
 *
 * @param runs.beforeId null means an empty content
 */
export async function compareRuns(
  db: DatabaseTransactionConnection,
  runs: { organizationId: string; beforeId: string | null; afterId: string },
): Promise<ReturnType<typeof compareScans>> {
  const { organizationId, beforeId, afterId } = runs;
  const listsOf = async (scanRunId: string) =>
    (await findChunkLists(db, { organizationId, scanRunId })) ?? EMPTY;
  const readOwn = async (own: ChunkLists, other: ChunkLists) => {
    const endpointChunks = difference(own.endpoints, other.endpoints, String);
    const findingChunks = difference(own.findings, other.findings, String);
    return {
      endpoints: await readEndpoints(db, { organizationId, chunkIds: endpointChunks }),
      findings: await readFindings(db, { organizationId, chunkIds: findingChunks }),
    };
  };
  const before = beforeId === null ? EMPTY : await listsOf(beforeId);
  const after = await listsOf(afterId);
  return compareScans(await readOwn(before, after), await readOwn(after, before));
}
