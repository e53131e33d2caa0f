import { Button, Group, Stack, Text } from "@mantine/core";
import type { FindingAssignee } from "@waymark/shared/scans/finding-assignments/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { RequestError } from "../../lib/request-error.tsx";
import { isUser, NOBODY } from "../../lib/permissions.ts";
import { useMay, useSession } from "../../lib/use-session.ts";
import { AssignTo } from "./assign-to.tsx";
import { useAssign, useAssignment, useUnassign } from "./use-assignments.ts";
import type { FindingOfService } from "./use-comments.ts";

/** Shows the user or the team that takes care of a finding, and the ways to change that. */
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
  if (assignee === undefined && !mayAssign) return null;
  const { code, method, path, message } = finding;
  const assignTo = (to: { principalId: string | null } | { team: string }) =>
    assign.mutate({ serviceId: of.serviceId, code, finding: { method, path, message }, ...to });
  const error = assign.error ?? unassign.error;
  return (
    <Stack gap="xs" role="group" aria-label="Assignment">
      <Group gap="xs">
        <Text size="sm">{describeAssignee(assignee)}</Text>
        {mayTake && (
          <Button
            size="compact-xs"
            variant="default"
            loading={assign.isPending}
            onClick={() => assignTo({ principalId: null })}
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
      {mayAssign && <AssignTo key={assignee?.id} assignee={assignee} onChoose={assignTo} />}
      {error !== null && <RequestError title="The assignment was not changed" error={error} />}
    </Stack>
  );
}

function describeAssignee(assignee: FindingAssignee | undefined): string {
  if (assignee === undefined) return "Assigned to nobody";
  return `Assigned to ${assignee.type === "team" ? "the team " : ""}${assignee.displayName}`;
}
