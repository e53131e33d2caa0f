import { ActionIcon, Code, CopyButton, Group, Paper, Text } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { ReactNode } from "react";
import { Time } from "../lib/time.tsx";
import classes from "./scan-run-summary.module.css";
import { SeverityBars } from "./severity-bars.tsx";
import { useSubmitter } from "./use-scan-run.ts";

export function ScanRunSummary({ run }: { run: ScanRun }) {
  const { spec } = run;
  return (
    <div className={classes["grid"]}>
      <Paper withBorder p="md">
        <dl className={classes["facts"]}>
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
          <Fact name="Scan run">
            <Copyable value={run.id} what="the id" />
          </Fact>
        </dl>
      </Paper>
      <Paper withBorder p="md">
        <Group gap="xl" mb="xs">
          <Count value={run.endpointCount} label={run.endpointCount === 1 ? "endpoint" : "endpoints"} />
          <Count value={run.findingCount} label={run.findingCount === 1 ? "finding" : "findings"} />
        </Group>
        {/* Reserves the space, so that nothing moves when the run is stored. */}
        <SeverityBars counts={run.findingsBySeverity} />
      </Paper>
    </div>
  );
}

/** The key's name; its id for sessions without `api-keys:read`. */
function Submitter({ run }: { run: ScanRun }) {
  const key = useSubmitter(run);
  if (key.data === undefined) return <Copyable value={run.createdByKeyId} what="the key's id" />;
  return (
    <span className="truncated" title={run.createdByKeyId}>
      {key.data.name}
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="breaks">{children}</dd>
    </>
  );
}

/** A long value on one line, with the full value as its title and a button to copy it. */
function Copyable({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code className="truncated" title={value}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            onClick={copy}
            aria-label={copied ? "Copied" : `Copy ${what}`}
          >
            <svg
              width="14"
              height="14"
              viewBox="0 0 16 16"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
              aria-hidden
            >
              {copied ? <path d="m3 8.5 3.5 3.5L13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM2.5 10.5v-8h8" />}
            </svg>
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}

function Count({ value, label }: { value: number; label: string }) {
  return (
    <div>
      <Text size="xl" fw={700} component="span">
        {value.toLocaleString()}
      </Text>{" "}
      <Text component="span">{label}</Text>
    </div>
  );
}
