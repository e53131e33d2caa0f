import { Anchor, Badge, Code, Group, Text, Title } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { ScanSource } from "@waymark/shared/scans/source/schema.ts";
import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { HELD_COLOR, isHeld } from "../../lib/is-held.ts";
import { commitAddress, sourceParts, webAddress } from "../../lib/source-parts.ts";
import { Time } from "../../lib/time.tsx";
import { useService } from "../../lib/use-service.ts";
import { describeStanding } from "../describe-standing.ts";
import classes from "./run-header.module.css";

/** States that have no result yet. A completed run has none here: its verdict says whether it is good. */
const STATUS_COLORS = { accepted: "blue.8", failed: "red.9" } as const;

/** The service with its owner, where the scan comes from, and whether it is what the service offers now. */
export function RunHeader({ run }: { run: ScanRun }) {
  return (
    <div>
      <Breadcrumbs
        steps={[
          { href: "/services", label: "Services" },
          { href: `/services/${run.serviceId}`, label: run.serviceName },
        ]}
      />
      <Group gap="sm">
        <Title order={1} className="breaks">
          {run.serviceName}
        </Title>
        <span aria-live="polite">
          {run.status !== "completed" && (
            <Badge color={STATUS_COLORS[run.status]} size="lg">
              {run.status}
            </Badge>
          )}
        </span>
        {isHeld(run) && (
          <Badge color={HELD_COLOR} size="lg">
            not promoted
          </Badge>
        )}
        <Owner run={run} />
      </Group>
      <Text size="sm" className="breaks">
        <Source run={run} />
        <Time at={run.createdAt} />
      </Text>
      {run.status === "completed" && <Standing run={run} />}
    </div>
  );
}

function Owner({ run }: { run: ScanRun }) {
  const { ownerTeam } = run;
  if (ownerTeam === null) return null;
  return (
    <Text size="sm" c="dimmed" className="breaks">
      Owner:{" "}
      <Anchor component={Link} href={`/services?owner=${ownerTeam.slug}`}>
        {ownerTeam.displayName}
      </Anchor>
    </Text>
  );
}

/** Says whether a run is the current one, and why not. The line is there before its words, so that nothing moves. */
function Standing({ run }: { run: ScanRun }) {
  const service = useService(run.serviceId);
  return (
    <Text size="sm" c="dimmed" className={`${classes["standing"]} breaks`}>
      {service.data !== undefined && describeStanding(run, service.data)}
    </Text>
  );
}

/** The parts of the source, each as a link where its address is known, and a separator after each. */
function Source({ run: { source, serviceId } }: { run: ScanRun }) {
  if (source === null) return null;
  return sourceParts(source).map((part) => (
    <Fragment key={part.name}>
      {part.name === "branch" && source.branch !== null ? (
        <Branches source={source} serviceId={serviceId} />
      ) : (
        <Part href={part.name === "commit" ? commitAddress(source) : (part.href ?? null)}>
          {part.name === "commit" ? <Code title={part.title}>{part.text}</Code> : part.text}
        </Part>
      )}
      {" · "}
    </Fragment>
  ));
}

function Branches({ source, serviceId }: { source: ScanSource; serviceId: string }) {
  const { branch, baseBranch, pullRequest } = source;
  const runsOf = (name: string) =>
    `/services/${serviceId}?${new URLSearchParams({ tab: "runs", branch: name })}`;
  return (
    <>
      {pullRequest === null && "branch "}
      {branch !== null && (
        <Anchor component={Link} href={runsOf(branch)}>
          {branch}
        </Anchor>
      )}
      {baseBranch !== null && baseBranch !== branch && (
        <>
          {" → "}
          <Anchor component={Link} href={runsOf(baseBranch)}>
            {baseBranch}
          </Anchor>
        </>
      )}
    </>
  );
}

function Part({ href, children }: { href: string | null; children: ReactNode }) {
  const address = webAddress(href);
  if (address === null) return <>{children}</>;
  return (
    <Anchor href={address} target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  );
}
