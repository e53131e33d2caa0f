import type { ContentId } from "@waymark/shared/scans/content/content-id.ts";
import { LRUCache } from "lru-cache";

const BODIES_MAX = 20_000;
// About 30,000 services of 100 endpoints.
const CHUNK_LISTS_CHARACTERS_MAX = 20_000_000;
const OVERHEAD_CHARACTERS = 200;

/** A service by name, and by id where this process knows it. */
export interface NamedService {
  id?: string;
  name: string;
}

/** Of a scan that was accepted. */
interface AcceptedScan {
  organizationId: string;
  bodyHash: Buffer;
  service: Required<NamedService>;
  /** Undefined where its body was not read. */
  chunks: readonly ContentId[] | undefined;
}

/**
 * What this process has seen of organizations' content. Hints that save round trips: the database verifies each, and one that
 * is missing or wrong costs a round trip more.
 */
export interface RecentContent {
  /** The service of a body that was accepted before. */
  serviceOfBody: (organizationId: string, bodyHash: Buffer) => NamedService | undefined;
  serviceNamed: (organizationId: string, name: string) => NamedService;
  /** Those of the chunks that the service's last scan had not. */
  newChunks: (organizationId: string, serviceName: string, chunks: readonly ContentId[]) => Set<ContentId>;
  remember: (scan: AcceptedScan) => void;
}

export function createRecentContent(): RecentContent {
  const bodies = new LRUCache<string, NamedService>({ max: BODIES_MAX });
  // The chunks as one text: a tenth of the memory that an array of them takes.
  const services = new LRUCache<string, { id: string; chunks: string }>({
    maxSize: CHUNK_LISTS_CHARACTERS_MAX,
    sizeCalculation: ({ chunks }, key) => key.length + chunks.length + OVERHEAD_CHARACTERS,
  });
  return {
    serviceOfBody: (organizationId, bodyHash) => bodies.get(bodyKey(organizationId, bodyHash)),
    serviceNamed(organizationId, name) {
      const id = services.get(organizationId + name)?.id;
      return id === undefined ? { name } : { id, name };
    },
    newChunks(organizationId, serviceName, chunks) {
      const last = services.get(organizationId + serviceName);
      const known = new Set(last?.chunks.split(","));
      return new Set(chunks.filter((id) => !known.has(id)));
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
