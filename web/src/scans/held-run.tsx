import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMay } from "../lib/use-session.ts";
import { usePromote } from "./use-promote.ts";

/** Explains that the run was not promoted, and promotes it. */
export function HeldRun({ run }: { run: ScanRun }) {
  const promote = usePromote(run);
  const mayPromote = useMay("services:update");
  return (
    <Alert color="orange" title="This run was not promoted" role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          It is not the current run of {run.serviceName}: a gate failed, or the pipeline ended before its
          gates were checked. Promote it to accept its changes. If a newer run is current, that run stays
          current.
        </Text>
        {promote.isError && (
          <Text size="sm" role="alert">
            Couldn't promote the run: {promote.error.message}
          </Text>
        )}
        <Button size="xs" loading={promote.isPending} disabled={!mayPromote} onClick={() => promote.mutate()}>
          Promote this run
        </Button>
        {!mayPromote && <Text size="sm">Your key lacks services:update, so it can't promote runs.</Text>}
      </Stack>
    </Alert>
  );
}
