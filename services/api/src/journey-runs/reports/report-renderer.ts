import type { ReportFormat } from "@waymark/journeys/report/formats.ts";
import { createRenderProcess, type RenderLimits } from "./render-in-process.ts";
import { createReportCache } from "./report-cache.ts";
import { createTurns } from "./turns.ts";

export interface WantedReport {
  organizationId: string;
  /** Identifies the result: equal keys have equal results. */
  resultKey: string;
  format: ReportFormat;
  /** Reads the text of the result, when its turn has come. */
  read: () => Promise<string>;
}

export interface ReportRenderer extends Disposable {
  /** @throws AppError `service_unavailable` when too many reports wait, or this one takes too much time or memory */
  render(wanted: WantedReport): Promise<Buffer>;
}

export interface ReportRendererOptions {
  limits?: RenderLimits;
  cacheBytesMax?: number;
}

const LIMITS: RenderLimits = { ms: 10_000, memoryMiB: 256 };
const CACHE_BYTES_MAX = 64 * 1024 * 1024;
/** Reports that wait, of one organization and of all. */
const WAITING_MAX = { organization: 8, all: 64 };
/** How long an unused process is kept: starting one takes 0.3 s. */
const IDLE_MS = 60_000;

/**
 * Renders reports in one process, one at a time, with organizations in turn, and keeps the last ones. A report is the same for ever,
 * so that equal requests are rendered once.
 */
export function createReportRenderer({
  limits = LIMITS,
  cacheBytesMax = CACHE_BYTES_MAX,
}: ReportRendererOptions = {}): ReportRenderer {
  const renderer = createRenderProcess(limits);
  const cache = createReportCache(cacheBytesMax);
  const rendering = new Map<string, Promise<Buffer>>();
  const turns = createTurns(WAITING_MAX);
  let idle: NodeJS.Timeout | undefined;

  const renderInTurn = ({ organizationId, format, read }: WantedReport) =>
    turns.take(organizationId, async () => {
      clearTimeout(idle);
      try {
        return await renderer.render({ format, result: await read() });
      } finally {
        idle = setTimeout(() => renderer[Symbol.dispose](), IDLE_MS).unref();
      }
    });

  return {
    render(wanted) {
      const key = `${wanted.organizationId} ${wanted.resultKey} ${wanted.format}`;
      const kept = cache.get(key);
      if (kept !== undefined) return Promise.resolve(kept);
      const running = rendering.get(key);
      if (running !== undefined) return running;
      const report = renderInTurn(wanted)
        .then((bytes) => cache.add(key, bytes))
        .finally(() => rendering.delete(key));
      rendering.set(key, report);
      return report;
    },
    [Symbol.dispose]() {
      clearTimeout(idle);
      renderer[Symbol.dispose]();
    },
  };
}
