import type { ContentId } from "@waymark/server/scans/content/content-id.ts";
import { LRUCache } from "lru-cache";

const BODIES_MAX = 20_000;
// About 30,000 services of 100 endpoints.
const CHUNK_LISTS_CHARACTERS_MAX = 20_000_000;
const OVERHEAD_CHARACTERS = 200;

/** A service's name, and its id if this process knows it. */
export interface NamedService {
  id?: string;
  name: string;
}

/** An accepted scan. */
interface AcceptedScan {
  organizationId: string;
  bodyHash: Buffer;
  service: Required<NamedService>;
  /** Undefined if its body was not read. */
  chunks: readonly ContentId[] | undefined;
}

/**
 * A cache of content that this process has seen, which saves round trips. The database verifies each entry, and a missing
 * or outdated one costs an additional round trip.
 */
export interface RecentContent {
  /** The service of a body that was accepted earlier. */
  serviceOfBody: (organizationId: string, bodyHash: Buffer) => NamedService | undefined;
  /** The service of this name, and those of the chunks that its last scan didn't have. */
  compare: (
    organizationId: string,
    serviceName: string,
    chunks: readonly ContentId[],
  ) => { service: NamedService; newChunks: Set<ContentId> };
  remember: (scan: AcceptedScan) => void;
}

export function createRecentContent(): RecentContent {
  const bodies = new LRUCache<string, NamedService>({ max: BODIES_MAX });
  // The chunk ids are joined into one text, which takes a tenth of the memory of an array.
  const services = new LRUCache<string, { id: string; chunks: string }>({
    maxSize: CHUNK_LISTS_CHARACTERS_MAX,
    sizeCalculation: ({ chunks }, key) => key.length + chunks.length + OVERHEAD_CHARACTERS,
  });
  return {
    serviceOfBody: (organizationId, bodyHash) => bodies.get(bodyKey(organizationId, bodyHash)),
    compare(organizationId, name, chunks) {
      const last = services.get(organizationId + name);
      const known = new Set(last?.chunks.split(","));
      return {
        service: last === undefined ? { name } : { id: last.id, name },
        newChunks: new Set(chunks.filter((id) => !known.has(id))),
      };
    },
    remember({ organizationId, bodyHash, service, chunks }) {
      bodies.set(bodyKey(organizationId, bodyHash), service);
      if (chunks !== undefined)
        services.set(organizationId + service.name, { id: service.id, chunks: chunks.join(",") });
    },
  };
}

function bodyKey(organizationId: string, bodyHash: Buffer): string {
  return organizationId + bodyHash.toString("latin1");
}
