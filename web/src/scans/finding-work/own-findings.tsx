import { Anchor, Code } from "@mantine/core";
import type { FindingAssignment } from "@waymark/shared/scans/finding-assignments/schema.ts";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { TimeAgo } from "../../lib/time.tsx";
import { useOwnAssignments } from "./use-assignments.ts";

/** The findings that are assigned to the signed-in user or to a team of the user. Renders nothing if there are none. */
export function OwnFindings() {
  const assignments = useOwnAssignments();
  if (assignments.isLoadingError)
    return <ErrorAlert error={assignments.error} onRetry={() => void assignments.refetch()} />;
  if (assignments.data === undefined || assignments.data.length === 0) return null;
  const more = assignments.hasNextPage ? " or more" : "";
  return (
    <details>
      <summary>
        Assigned to me: {countOf(assignments.data.length, "findings")}
        {more}
      </summary>
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Finding</th>
            <th>Service</th>
            <th>Rule</th>
            <th>Now</th>
            <th>To</th>
            <th>Assigned</th>
          </tr>
        </thead>
        <tbody>
          {assignments.data.map((assignment) => (
            <Row key={`${assignment.serviceId} ${assignment.fingerprint}`} assignment={assignment} />
          ))}
        </tbody>
      </ResponsiveTable>
      <LoadMore pages={assignments} label="Load older ones" />
    </details>
  );
}

function Row({ assignment }: { assignment: FindingAssignment }) {
  const { serviceId, serviceName, code, finding, findingCount, assignee, assignedAt } = assignment;
  const place = [finding.method, finding.path].filter((part) => part !== null).join(" ");
  return (
    <tr>
      <td className="breaks">
        <Anchor component={Link} href={`/findings?${new URLSearchParams({ serviceId, code })}`}>
          {finding.message.trim() === "" ? "(no message)" : finding.message}
        </Anchor>
        {place !== "" && ` (${place})`}
      </td>
      <td data-label="Service" className="breaks">
        {serviceName}
      </td>
      <td data-label="Rule" className="breaks">
        <Code>{code}</Code>
      </td>
      <td data-label="Now">{findingCount === 0 ? "gone" : countOf(findingCount, "findings")}</td>
      <td data-label="To" className="breaks">
        {assignee.type === "team" ? assignee.displayName : "me"}
      </td>
      <td data-label="Assigned">
        <TimeAgo at={assignedAt} />
      </td>
    </tr>
  );
}
