import { Alert, Button, Stack, Text } from "@mantine/core";
import { PROMOTION_UNDO_MINUTES, type ScanRun } from "@waymark/shared/scans/schema.ts";
import { useEffect, useState } from "react";
import { promotedAt, useUndoPromotion } from "../use-promote.ts";

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
