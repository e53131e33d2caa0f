import { Button, Group, Text } from "@mantine/core";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { isUser, NOBODY } from "../../lib/permissions.ts";
import { useMay, useSession } from "../../lib/use-session.ts";
import { useAssign, useAssignment, useUnassign } from "./use-assignments.ts";
import type { FindingOfService } from "./use-comments.ts";

/** Shows the user who takes care of a finding, and the way to do it oneself. */
export function Assignee({ of, finding }: { of: FindingOfService; finding: NormalizedFinding }) {
  const assignment = useAssignment(of);
  const mayAssign = useMay("findings:decide");
  const { data: session } = useSession();
  const assign = useAssign();
  const unassign = useUnassign();
  if (assignment.isLoadingError)
    return <ErrorAlert error={assignment.error} onRetry={() => void assignment.refetch()} />;
  if (assignment.data === undefined) return null;
  const assignee = assignment.data?.assignee;
  const mayTake = mayAssign && isUser(session ?? NOBODY) && assignee?.id !== session?.principal?.id;
  if (assignee === undefined && !mayTake) return null;
  const { code, method, path, message } = finding;
  const error = assign.error ?? unassign.error;
  return (
    <div role="group" aria-label="Assignment">
      <Group gap="xs">
        <Text size="sm">
          {assignee === undefined ? "Assigned to nobody" : `Assigned to ${assignee.displayName ?? "a user"}`}
        </Text>
        {mayTake && (
          <Button
            size="compact-xs"
            variant="default"
            loading={assign.isPending}
            onClick={() =>
              assign.mutate({
                serviceId: of.serviceId,
                code,
                finding: { method, path, message },
                principalId: null,
              })
            }
          >
            Assign to me
          </Button>
        )}
        {mayAssign && assignee !== undefined && (
          <Button
            size="compact-xs"
            variant="default"
            loading={unassign.isPending}
            onClick={() => unassign.mutate(of)}
          >
            End the assignment
          </Button>
        )}
      </Group>
      {error !== null && <RequestError title="The assignment was not changed" error={error} />}
    </div>
  );
}
