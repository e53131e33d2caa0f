import { Anchor, Group, Paper, Text } from "@mantine/core";
import { FINDINGS_MAX, type ScanRun } from "@waymark/shared/scans/schema.ts";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { describeFailed, namesOfFailed } from "../lib/describe-gates.ts";
import { Copyable, Fact, Facts } from "../lib/facts.tsx";
import { webAddress } from "../lib/source-parts.ts";
import { Time } from "../lib/time.tsx";
import { useCreatorKey } from "../lib/use-creator-key.ts";
import classes from "./about-scan.module.css";
import { SeverityBars } from "./severity-bars.tsx";
import { LOCALE } from "../lib/locale.ts";

/** Shows what is stored about a scan besides its content, folded: hashes, ids, times and counts. */
export function AboutScan({ run }: { run: ScanRun }) {
  return (
    <details className={classes["about"]}>
      <summary>About this scan</summary>
      <Summary run={run} />
    </details>
  );
}

function Summary({ run }: { run: ScanRun }) {
  const { spec } = run;
  return (
    <div className={classes["grid"]}>
      <Paper withBorder p="md">
        <Facts>
          <Fact name="Specification">
            {[spec.title, spec.version].filter(Boolean).join(" ") || "untitled"}
          </Fact>
          <Fact name="Spec hash">
            <Copyable value={spec.hash} what="the hash" />
          </Fact>
          <Fact name="Submitted">
            <Time at={run.createdAt} />
          </Fact>
          <Fact name="Stored">{run.status === "accepted" ? "not yet" : <Time at={run.completedAt} />}</Fact>
          <Fact name="Submitted by">
            <Submitter run={run} />
          </Fact>
          <Source run={run} />
          {run.gates !== null && (
            <Fact name="Gates">
              {describeFailed(namesOfFailed(run.gates)) ??
                `passed ${run.gates.map(({ gate }) => gate).join(", ")}`}
            </Fact>
          )}
          <Fact name="Description">
            <Anchor component={Link} href={`/services/${run.serviceId}/description?run=${run.id}`}>
              Open
            </Anchor>
          </Fact>
          <Fact name="Scan run">
            <Copyable value={run.id} what="the id" />
          </Fact>
        </Facts>
      </Paper>
      <Paper withBorder p="md">
        <Group gap="xl" mb="xs">
          <Count value={run.endpointCount} label={run.endpointCount === 1 ? "endpoint" : "endpoints"} />
          <Count value={run.findingCount} label={run.findingCount === 1 ? "finding" : "findings"} />
        </Group>
        {run.findingCount >= FINDINGS_MAX && (
          <Text size="sm" mb="xs">
            Limit reached: there may be more.
          </Text>
        )}
        {/* Reserves the space, so that nothing moves when the run is stored. */}
        <SeverityBars counts={run.findingsBySeverity} />
      </Paper>
    </div>
  );
}

/** Shows the origin of the description, as far as the client said it. */
function Source({ run: { source, serviceId } }: { run: ScanRun }) {
  if (source === null) return null;
  return (
    <>
      {source.pullRequest && (
        <Fact name="Pull request">
          <WebLink address={source.pullRequestUrl}>{source.pullRequest}</WebLink>
          {source.baseBranch && `, into ${source.baseBranch}`}
        </Fact>
      )}
      {source.branch && (
        <Fact name="Branch">
          <Anchor
            component={Link}
            href={`/services/${serviceId}?${new URLSearchParams({ tab: "runs", branch: source.branch })}`}
          >
            {source.branch}
          </Anchor>
        </Fact>
      )}
      {source.commit && (
        <Fact name="Commit">
          <Copyable value={source.commit} what="the commit" />
        </Fact>
      )}
      {source.author && <Fact name="Author">{source.author}</Fact>}
      {source.repository && (
        <Fact name="Repository">
          <WebLink address={source.repository}>{source.repository}</WebLink>
        </Fact>
      )}
      {source.url && (
        <Fact name="Build">
          <WebLink address={source.url}>{new URL(source.url).host}</WebLink>
        </Fact>
      )}
    </>
  );
}

/** Shows a text as a link if its address is one that a browser may open. */
function WebLink({ address, children }: { address: string | null; children: ReactNode }) {
  const href = webAddress(address);
  return href === null ? <>{children}</> : <Anchor href={href}>{children}</Anchor>;
}

/** The name of the person; for a key of nobody that of the key, or its id for sessions without `api-keys:read`. */
function Submitter({ run }: { run: ScanRun }) {
  const key = useCreatorKey(run);
  if (run.creator !== null) return <span className="breaks">{run.creator.displayName}</span>;
  if (key.data === undefined) return <Copyable value={run.createdByKeyId} what="the key's id" />;
  return (
    <span className="truncated" title={run.createdByKeyId}>
      {key.data.name}
    </span>
  );
}

function Count({ value, label }: { value: number; label: string }) {
  return (
    <div>
      <Text size="xl" fw={700} component="span">
        {value.toLocaleString(LOCALE)}
      </Text>{" "}
      <Text component="span">{label}</Text>
    </div>
  );
}
