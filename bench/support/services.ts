import { type ChangeCounts, evolve, NO_CHANGE } from "./evolve.ts";
import { type Content, createContents, type ScanSize, toPayloadText } from "./payloads.ts";
import { createRandom } from "./random.ts";

/**
 * The kinds of scans, compared with what their service had before.
 * - new: no item of it is known, nor any path;
 * - evolving: 0.2 % of the items changed, at least one;
 * - description only: another spec.hash and version, the same items;
 * - repeated: the same bytes.
 */
export const SCAN_KINDS = ["new", "evolving", "repeated", "description only"] as const;
export type ScanKind = (typeof SCAN_KINDS)[number];

/** A scan before it is encoded for sending. */
export interface Scan {
  kind: ScanKind;
  service: string;
  text: string;
  endpoints: number;
  findings: number;
  /** Changes since the service's scan before. */
  changes: ChangeCounts;
}

/** Services with scans of one size, and what each of them has. */
export interface ServiceSet {
  size: ScanSize;
  names: readonly string[];
  /** The first scan of each service. */
  first(): Iterable<Scan>;
  /**
   * A scan of the next service, in turns: within as many scans as there are services none comes twice.
   * @param options `keeps` when it will be persisted before the service's next scan: that follows it then
   */
  next(kind: ScanKind, options: { keeps: boolean }): Scan;
}

const FIRST_NEW_MARK = 1_000_000;

/** @param options.firstMark where another set of the same organization has the first marks: equal content is stored once */
export function createServiceSet(
  size: ScanSize,
  count: number,
  { prefix = size.name, firstMark = 0 } = {},
): ServiceSet {
  const random = createRandom(count);
  const contentOf = createContents(size);
  const services = Array.from({ length: count }, (_, n) => ({
    name: `${prefix}-${n}`,
    content: contentOf(firstMark + n),
  }));
  let turn = 0;
  let newMark = firstMark + FIRST_NEW_MARK;
  let revisions = 1;

  function following(kind: ScanKind, before: Content): { content: Content; changes: ChangeCounts } {
    if (kind === "repeated") return { content: before, changes: NO_CHANGE };
    const revision = ++revisions;
    if (kind === "evolving") return evolve(before, { revision, random, endpointsMax: size.endpoints });
    if (kind === "description only") return { content: { ...before, revision }, changes: NO_CHANGE };
    const content = { ...contentOf(newMark++), revision };
    return { content, changes: replaced(before, content) };
  }

  return {
    size,
    names: services.map(({ name }) => name),
    *first() {
      for (const { name, content } of services) {
        yield toScan("new", name, { content, changes: replaced(undefined, content) });
      }
    },
    next(kind, { keeps }) {
      const service = services[turn++ % services.length];
      if (service === undefined) throw new Error("there is no service");
      const next = following(kind, service.content);
      if (keeps) service.content = next.content;
      return toScan(kind, service.name, next);
    },
  };
}

function replaced(before: Content | undefined, after: Content): ChangeCounts {
  return {
    added: after.endpoints.length,
    removed: before?.endpoints.length ?? 0,
    changed: 0,
    newFindings: after.findings.length,
    fixedFindings: before?.findings.length ?? 0,
  };
}

function toScan(
  kind: ScanKind,
  service: string,
  { content, changes }: { content: Content; changes: ChangeCounts },
): Scan {
  return {
    kind,
    service,
    text: toPayloadText(service, content),
    endpoints: content.endpoints.length,
    findings: content.findings.length,
    changes,
  };
}
