import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ScanRun } from "@waymark/shared/scans/schema.ts";
import { callApi } from "../lib/api.ts";

/** Makes the run its service's current one, unless a newer run is current. */
export function usePromote(run: ScanRun) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi(ScanRun, `/api/scan-runs/${run.id}/promote`, { method: "POST", body: {} }),
    onSuccess: async (promoted) => {
      client.setQueryData(["scan-run", run.id], promoted);
      await Promise.all(
        [["service", run.serviceId], ["services"], ["overview"], ["findings"], ["endpoint-search"]].map(
          (queryKey) => client.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}
