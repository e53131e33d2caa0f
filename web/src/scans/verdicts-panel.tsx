import { Button, Group, Stack } from "@mantine/core";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { useState } from "react";
import { LoadMore, type Pages } from "../lib/load-more.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { countOf } from "../lib/count-of.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { useMay } from "../lib/use-session.ts";
import { ComparisonSummary } from "../lib/verdicts/comparison-summary.tsx";
import { needsApproval } from "../lib/verdicts/group-verdicts.ts";
import { VerdictGroups } from "../lib/verdicts/verdict-groups.tsx";

const ApproveDialog = lazyDialog(
  async () => (await import("../lib/verdicts/approve-dialog.tsx")).ApproveDialog,
);

/** The label of the button that approves all loaded changes. @param hasMore true if further ones are not loaded */
function describeApproval(count: number, hasMore: boolean): string {
  if (count === 1 && !hasMore) return "Approve the change…";
  return `Approve ${hasMore ? "these" : "all"} ${countOf(count, "changes")}…`;
}

/** Says whether a run breaks clients, and shows the verdicts on its changes. */
export function VerdictsPanel(props: {
  run: ScanRun;
  changes: ScanChanges;
  /** The pages of which the verdicts are. */
  pages: Pages;
}) {
  const { run, changes, pages } = props;
  const { comparison, verdicts } = changes;
  const mayApprove = useMay("changes:approve");
  const [approving, setApproving] = useState<readonly Verdict[]>([]);
  const open = verdicts.filter(needsApproval);
  // The list of changes says that everything is new.
  if (comparison.reason === "no_base") return null;
  return (
    <Stack>
      <ComparisonSummary comparison={comparison}>
        {open.length > 0 && (
          <Group gap="xs" mt="xs">
            {mayApprove ? (
              <Button size="xs" variant="default" onClick={() => setApproving(open)}>
                {describeApproval(open.length, pages.hasNextPage)}
              </Button>
            ) : (
              <LacksPermission permission="changes:approve" purpose="approve changes" />
            )}
          </Group>
        )}
      </ComparisonSummary>
      <VerdictGroups
        serviceId={run.serviceId}
        scanRunId={run.id}
        baseRunId={comparison.against}
        verdicts={verdicts}
        onApprove={mayApprove ? setApproving : undefined}
      />
      <LoadMore pages={pages} label="Load more verdicts" size="sm" />
      {approving.length > 0 && (
        <ApproveDialog
          serviceId={run.serviceId}
          scanRunId={run.id}
          isPromoted={run.promoted}
          verdicts={approving}
          onClose={() => setApproving([])}
        />
      )}
    </Stack>
  );
}
