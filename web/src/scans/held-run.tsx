import { Alert, Button, Stack, Text } from "@mantine/core";
import { PROMOTION_UNDO_MINUTES, type ScanRun } from "@waymark/shared/scans/schema.ts";
import { useEffect, useState } from "react";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { countOf } from "../lib/count-of.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { useService } from "../lib/use-service.ts";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { describeStanding } from "./describe-standing.ts";
import { promotedAt, usePromote, useUndoPromotion } from "./use-promote.ts";

const ConfirmDialog = lazyDialog(async () => (await import("../lib/confirm-dialog.tsx")).ConfirmDialog);

/** Explains that the run was not promoted, and promotes it when somebody confirms that. */
export function HeldRun({ run }: { run: ScanRun }) {
  const service = useService(run.serviceId);
  const mayPromote = useMay("services:update");
  const confirming = useUrlDialog("promote");
  return (
    <Alert color="orange" title="This run was not promoted" role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="breaks">
          {service.data === undefined
            ? `It does not become the current run of ${run.serviceName} until it is promoted.`
            : describeStanding(run, service.data)}
        </Text>
        <Button size="xs" variant="default" disabled={!mayPromote} onClick={() => confirming.open("1")}>
          Promote this run
        </Button>
        <LacksPermission permission="services:update" purpose="promote runs" />
      </Stack>
      {confirming.value !== "" && <PromoteDialog run={run} onClose={confirming.close} />}
    </Alert>
  );
}

function PromoteDialog({ run, onClose }: { run: ScanRun; onClose: () => void }) {
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

/** Says whether a promoted run is the current one. */
export function Standing({ run }: { run: ScanRun }) {
  const service = useService(run.serviceId);
  return service.data !== undefined && <>. {describeStanding(run, service.data)}</>;
}

/** Offers to undo a promotion for as long as that is possible. */
export function PromotedRun({ run }: { run: ScanRun }) {
  const at = promotedAt(run);
  return at === undefined ? null : <UndoOffer run={run} until={at + PROMOTION_UNDO_MINUTES * 60_000} />;
}

function UndoOffer({ run, until }: { run: ScanRun; until: number }) {
  const undo = useUndoPromotion(run);
  const [hasEnded, setEnded] = useState(() => until < Date.now());
  useEffect(() => {
    const timer = setTimeout(() => setEnded(true), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  if (hasEnded) return null;
  return (
    <Alert color="teal" title="This run was promoted" role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          You can undo this for {PROMOTION_UNDO_MINUTES} minutes after the promotion. The previous current run
          then becomes current again.
        </Text>
        {undo.isError && (
          <Text size="sm" role="alert">
            Couldn't undo the promotion: {undo.error.message}
          </Text>
        )}
        <Button size="xs" variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
          Undo the promotion
        </Button>
      </Stack>
    </Alert>
  );
}
