import { type ContentId, contentId } from "./content-id.ts";
import { cutChunks } from "./cut-chunks.ts";
import { packChunks } from "./packed-chunks.ts";
import { type ItemText, splitScan } from "./split-scan.ts";

/** A scan's content as text, cut into chunks. */
export interface ChunkedScan {
  /** The JSON text without items. */
  description: string;
  snapshotId: ContentId;
  /** In the scan's order. */
  endpointChunks: readonly ContentId[];
  findingChunks: readonly ContentId[];
  endpointCount: number;
  findingCount: number;
  /** Packs these chunks for storage. */
  pack: (chunks: ReadonlySet<ContentId>) => Buffer;
}

interface Chunk {
  id: ContentId;
  text: Buffer;
}

/**
 * Validates the items in the JSON text of a scan and cuts them into chunks, without parsing them. Service and spec metadata are
 * not part of the content, so the same items are stored once, whichever service they belong to.
 *
 * @param json valid UTF-8
 * @returns undefined if an item is invalid or not canonical
 */
export function chunkScan(json: Buffer): ChunkedScan | undefined {
  const split = splitScan(json);
  if (split === undefined) return undefined;
  const endpoints = chunksOf(json, split.endpoints);
  const findings = chunksOf(json, split.findings);
  const endpointChunks = endpoints.map(({ id }) => id);
  const findingChunks = findings.map(({ id }) => id);
  const counts = { endpointCount: split.endpoints.length, findingCount: split.findings.length };
  return {
    description: split.description,
    snapshotId: contentId(JSON.stringify({ endpointChunks, findingChunks, ...counts })),
    endpointChunks,
    findingChunks,
    ...counts,
    pack: (wanted) =>
      packChunks({ endpoints: textsOf(endpoints, wanted), findings: textsOf(findings, wanted) }),
  };
}

function chunksOf(json: Buffer, items: readonly ItemText[]): Chunk[] {
  return cutChunks(items).map((chunk) => {
    const text = json.subarray(chunk[0]?.start, chunk.at(-1)?.end);
    return { id: contentId(text), text };
  });
}

/** A chunk that occurs several times in a scan is stored once. */
function textsOf(chunks: readonly Chunk[], wanted: ReadonlySet<ContentId>): Buffer[] {
  return [...new Map(chunks.map(({ id, text }) => [id, text]))].flatMap(([id, text]) =>
    wanted.has(id) ? [text] : [],
  );
}
