import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { promoteScanRun, undoPromotion } from "@waymark/shared/scans/addresses.ts";
import { ScanRun } from "@waymark/shared/scans/schema.ts";
import { callApi } from "../lib/api.ts";

/**
 * The times of promotions in this window, by the run's id. The run's page offers to undo one while that is possible.
 */
const promotions = new Map<string, number>();

export function promotedAt(run: ScanRun): number | undefined {
  return promotions.get(run.id);
}

/** Makes the run its service's current one, unless a newer run is current. */
export function usePromote(run: ScanRun, { onPromoted }: { onPromoted: () => void }) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(promoteScanRun, { params: { scanRunId: run.id } }, { read: ScanRun }),
    onSuccess: (promoted) => {
      promotions.set(run.id, Date.now());
      onPromoted();
      return refresh(client, promoted);
    },
  });
}

/** Undoes the promotion: the run that was current before is current again. */
export function useUndoPromotion(run: ScanRun) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(undoPromotion, { params: { scanRunId: run.id } }, { read: ScanRun }),
    onSuccess: (undone) => {
      promotions.delete(run.id);
      return refresh(client, undone);
    },
  });
}

async function refresh(client: QueryClient, run: ScanRun): Promise<void> {
  client.setQueryData(["scan-run", run.id], run);
  await Promise.all(
    [["service", run.serviceId], ["services"], ["overview"], ["findings"], ["endpoint-search"]].map(
      (queryKey) => client.invalidateQueries({ queryKey }),
    ),
  );
}
