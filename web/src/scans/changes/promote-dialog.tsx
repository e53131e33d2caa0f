import { PROMOTION_UNDO_MINUTES, type ScanRun } from "@waymark/shared/scans/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { usePromote } from "../use-promote.ts";

const ConfirmDialog = lazyDialog(async () => (await import("../../lib/confirm-dialog.tsx")).ConfirmDialog);

/** Promotes a run when somebody confirms that. */
export function PromoteDialog({ run, onClose }: { run: ScanRun; onClose: () => void }) {
  const promote = usePromote(run, { onPromoted: onClose });
  const { branch = null } = run.source ?? {};
  const counts = `${countOf(run.endpointCount, "endpoints")} and ${countOf(run.findingCount, "findings")}`;
  return (
    <ConfirmDialog
      title={`Promote this run of ${run.serviceName}?`}
      action="Promote"
      pending={promote.isPending}
      error={promote.error}
      onConfirm={() => promote.mutate()}
      onClose={onClose}
    >
      It becomes the current run, unless a newer run is current: overview, search, findings and gates then go
      by its {counts}
      {branch !== null && `, which are those of the branch ${branch}`}. You can undo this for{" "}
      {PROMOTION_UNDO_MINUTES} minutes. After that, only another scan changes what is current.
    </ConfirmDialog>
  );
}
