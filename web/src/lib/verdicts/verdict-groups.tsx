import { Anchor, Code, Title } from "@mantine/core";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { Link } from "wouter";
import { endpointAddress } from "../endpoint/endpoint-address.ts";
import { LOCALE } from "../locale.ts";
import { groupVerdicts, isGone, needsApproval, type VerdictGroup } from "./group-verdicts.ts";
import { VerdictItem } from "./verdict-item.tsx";
import classes from "./verdicts.module.css";

/** The number of operations of a group that its title names. */
const NAMED_MAX = 3;

/** Verdicts by the operations that they affect. @param props.onApprove undefined if the session may not approve */
export function VerdictGroups(props: {
  serviceId: string;
  scanRunId: string;
  /** The run before it, which has the operations that are gone. */
  baseRunId: string | null;
  verdicts: readonly Verdict[];
  onApprove?: ((verdicts: readonly Verdict[]) => void) | undefined;
}) {
  const { serviceId, scanRunId, baseRunId, verdicts, onApprove } = props;
  return (
    <>
      {groupVerdicts(verdicts).map((group) => (
        <section key={group.key}>
          <GroupTitle
            group={group}
            serviceId={serviceId}
            scanRunId={isGone(group) ? (baseRunId ?? scanRunId) : scanRunId}
          />
          <ul className={classes["verdicts"]}>
            {group.verdicts.map((verdict, index) => (
              <VerdictItem
                key={`${verdict.fingerprint} ${index}`}
                verdict={verdict}
                onApprove={
                  onApprove !== undefined && needsApproval(verdict) ? () => onApprove([verdict]) : undefined
                }
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function GroupTitle(props: { group: VerdictGroup; serviceId: string; scanRunId: string }) {
  const { group, serviceId, scanRunId } = props;
  const { operations, operationCount } = group;
  const named = operations.slice(0, NAMED_MAX);
  const more = operationCount - named.length;
  return (
    <Title order={2} size="h4" mb={4} className="breaks">
      {named.length === 0 && "The whole description"}
      {named.map(({ method, path, kind }, index) => (
        <span key={`${kind} ${method} ${path}`}>
          {index > 0 && ", "}
          <Code fz="inherit">{method}</Code>{" "}
          {kind === "operation" ? (
            <Anchor component={Link} href={endpointAddress(serviceId, { method, path }, scanRunId)}>
              {path}
            </Anchor>
          ) : (
            `${path} (${kind})`
          )}
        </span>
      ))}
      {more > 0 && named.length > 0 && ` and ${more.toLocaleString(LOCALE)} more`}
    </Title>
  );
}
