import { Alert, Button, Group } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { useLocation } from "wouter";
import { hasPermission } from "../../lib/permissions.ts";
import { useSession } from "../../lib/use-session.ts";
import { isFinal } from "../run-status.tsx";
import { useCancelRun, useRerun } from "./use-journey-run.ts";

/** Cancels a run, or starts it again, for sessions that may. */
export function RunActions({ run }: { run: JourneyRun }) {
  const { data: session } = useSession();
  const cancel = useCancelRun(run.id);
  const rerun = useRerun(run);
  const [, navigate] = useLocation();
  if (session === null || session === undefined || !hasPermission(session, "journeys:run")) return null;
  const error = cancel.error ?? rerun.error;
  const repeat = (sameSeed: boolean) =>
    rerun.mutate(sameSeed, { onSuccess: ({ runId }) => navigate(`/journey-runs/${runId}`) });
  return (
    <>
      <Group gap="xs">
        {isFinal(run) ? (
          <>
            <Button variant="default" loading={rerun.isPending} onClick={() => repeat(false)}>
              Run again
            </Button>
            <Button variant="default" loading={rerun.isPending} onClick={() => repeat(true)}>
              Run again with this seed
            </Button>
          </>
        ) : (
          <Button
            variant="default"
            loading={cancel.isPending}
            disabled={cancel.isSuccess}
            onClick={() => cancel.mutate()}
          >
            {cancel.isSuccess ? "Cancelling; the teardown still runs" : "Cancel"}
          </Button>
        )}
      </Group>
      {error !== null && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
    </>
  );
}
