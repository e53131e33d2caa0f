import type { ContentId } from "@waymark/shared/scans/content/content-id.ts";
import QuickLRU from "quick-lru";

// At worst 50 MB together: QuickLRU keeps up to twice as many.
const BODIES_MAX = 20_000;
const SERVICES_MAX = 10_000;
const CHUNKS_MAX = 100_000;

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
  /** Empty where its body was not read. */
  chunks: readonly ContentId[];
}

/**
 * What this process has seen of organizations' content. Hints that save round trips: the database verifies each, and one that
 * is missing or wrong costs a round trip more.
 */
export interface RecentContent {
  /** The service of a body that was accepted before. */
  serviceOfBody: (organizationId: string, bodyHash: Buffer) => Required<NamedService> | undefined;
  serviceNamed: (organizationId: string, name: string) => NamedService;
  /** Those of the chunks that are not known to be stored. */
  unknownChunks: (organizationId: string, chunks: readonly ContentId[]) => Set<ContentId>;
  remember: (scan: AcceptedScan) => void;
}

export function createRecentContent(): RecentContent {
  const bodies = new QuickLRU<string, Required<NamedService>>({ maxSize: BODIES_MAX });
  const serviceIds = new QuickLRU<string, string>({ maxSize: SERVICES_MAX });
  const storedChunks = new QuickLRU<string, true>({ maxSize: CHUNKS_MAX });
  return {
    serviceOfBody: (organizationId, bodyHash) => bodies.get(bodyKey(organizationId, bodyHash)),
    serviceNamed(organizationId, name) {
      const id = serviceIds.get(organizationId + name);
      return id === undefined ? { name } : { id, name };
    },
    unknownChunks: (organizationId, chunks) =>
      new Set(chunks.filter((id) => storedChunks.get(organizationId + id) === undefined)),
    remember({ organizationId, bodyHash, service, chunks }) {
      bodies.set(bodyKey(organizationId, bodyHash), service);
      serviceIds.set(organizationId + service.name, service.id);
      for (const id of chunks) storedChunks.set(organizationId + id, true);
    },
  };
}

function bodyKey(organizationId: string, bodyHash: Buffer): string {
  return organizationId + bodyHash.toString("latin1");
}
