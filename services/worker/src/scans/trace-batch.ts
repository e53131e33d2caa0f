import { findTraceParents } from "@waymark/server/observability/queries.ts";
import type { TraceSpan } from "@waymark/server/observability/tracing.ts";
import type { ClaimedRun } from "@waymark/server/scans/persist/queries.ts";
import type { BatchContext } from "./process-batch.ts";

/**
 * Runs `work` on claimed runs of one organization. Each run that was traced when it was accepted gets a span in the same
 * trace, whether the queue or the reconciler found it. The batch has its own trace, which links to all of them.
 */
export async function traceBatch(
  context: BatchContext,
  claimed: readonly ClaimedRun[],
  work: (context: BatchContext) => Promise<void>,
): Promise<void> {
  const { tracing } = context;
  const parents = tracing === undefined ? new Map<string, string>() : await findParents(context, claimed);
  if (tracing === undefined || parents.size === 0) return work(context);

  const batch = tracing.start("persist batch", {
    kind: "consumer",
    links: [...parents.values()],
    attributes: { "messaging.batch.message_count": claimed.length },
  });
  const spans = new Map<string, TraceSpan>();
  for (const { scanRunId, attempt } of claimed) {
    const parent = parents.get(scanRunId);
    if (parent === undefined) continue;
    const span = tracing.start("persist scan run", {
      kind: "consumer",
      parent,
      links: batch.traceParent === undefined ? [] : [batch.traceParent],
      attributes: { "waymark.scan_run_id": scanRunId, "waymark.attempt": attempt },
    });
    spans.set(scanRunId, span);
  }
  try {
    await tracing.within(batch, () => work({ ...context, observer: observeSpans(context.observer, spans) }));
  } finally {
    for (const span of [...spans.values(), batch]) span.end();
  }
}

/** If the trace parents can't be read, the work runs untraced. */
async function findParents(
  context: BatchContext,
  claimed: readonly ClaimedRun[],
): Promise<Map<string, string>> {
  const organizationId = claimed[0]?.organizationId;
  if (organizationId === undefined) return new Map();
  try {
    const ids = claimed.map((run) => run.scanRunId);
    return await findTraceParents(context.pool, organizationId, ids);
  } catch (error) {
    context.logger.warn({ err: error }, "the trace parents could not be read");
    return new Map();
  }
}

function observeSpans(
  observer: BatchContext["observer"],
  spans: ReadonlyMap<string, TraceSpan>,
): BatchContext["observer"] {
  return {
    persisted: (batch) => observer.persisted(batch),
    retried(scanRunId) {
      spans.get(scanRunId)?.fail("will be retried");
      observer.retried(scanRunId);
    },
    failed(scanRunId, code) {
      spans.get(scanRunId)?.fail(code);
      observer.failed(scanRunId, code);
    },
  };
}
