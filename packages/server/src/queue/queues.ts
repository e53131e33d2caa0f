import type { QueueBackend, QueueEvents } from "./backend.ts";
import { JOURNEY_QUEUE, type JourneyQueue } from "./journey-queue.ts";
import { SCAN_QUEUE, type ScanQueue } from "./scan-queue.ts";
import { connectQueues } from "./wake-up-queue.ts";
import type { QueueConnection } from "./wake-up-queue.ts";

export interface Queues extends Omit<QueueConnection, "open"> {
  scans: ScanQueue;
  journeys: JourneyQueue;
}

/** The queues of scans and of journeys, over one connection: so an outage is noticed for both, and ends for both. */
export function openQueues(backend: QueueBackend, events: QueueEvents): Queues {
  const connection = connectQueues(backend, events);
  return { ...connection, scans: connection.open(SCAN_QUEUE), journeys: connection.open(JOURNEY_QUEUE) };
}
