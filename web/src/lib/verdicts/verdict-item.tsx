import { Badge, Button, Code, Text } from "@mantine/core";
import type { Verdict, VerdictPosition } from "@waymark/shared/scans/comparisons/schema.ts";
import { useState } from "react";
import { byWhom } from "../by-whom.ts";
import { Copyable } from "../facts.tsx";
import { Time } from "../time.tsx";
import { useKeyNames } from "../use-key-names.ts";
import { ChangedPart, type ComparedRuns } from "./changed-part.tsx";
import { FragmentDifference } from "./fragment-difference.tsx";
import { LEVELS } from "./levels.ts";
import classes from "./verdicts.module.css";

/** One change: what stops working for whom, where, and the fragment before and after; unfolded, what both descriptions say there. */
export function VerdictItem({
  verdict,
  runs,
  onApprove,
}: {
  verdict: Verdict;
  runs: ComparedRuns;
  onApprove?: (() => void) | undefined;
}) {
  const [isOpened, setIsOpened] = useState(false);
  const { level, message, at, reason, before, after, witness, direction, fingerprint, id } = verdict;
  return (
    <li className={classes["verdict"]}>
      <div className={classes["head"]}>
        <Badge color={LEVELS[level].color} size="sm">
          {LEVELS[level].label}
        </Badge>
        <span className="breaks">{message}</span>
        {onApprove !== undefined && (
          <Button size="compact-xs" variant="default" onClick={onApprove} aria-label={`Approve: ${message}`}>
            Approve…
          </Button>
        )}
      </div>
      {verdict.approval !== null && <Approved approval={verdict.approval} />}
      {reason !== null && (
        <Text size="sm" className="breaks">
          Not decided: {reason}
        </Text>
      )}
      {(before !== null || after !== null) && <FragmentDifference before={before} after={after} />}
      {witness !== undefined && (
        <Text size="sm" className="breaks">
          {direction === "response" ? "Can now arrive" : "No longer accepted"}:{" "}
          <Code>{JSON.stringify(witness)}</Code>
        </Text>
      )}
      <details
        className={classes["places"]}
        onToggle={({ currentTarget }) => setIsOpened((was) => was || currentTarget.open)}
      >
        <summary className="breaks">
          {at === "" ? "Where" : at} · {id}
        </summary>
        {isOpened && <ChangedPart runs={runs} base={verdict.base} head={verdict.head} />}
        <div className="breaks">
          {[placeOf("before", verdict.base), placeOf("now", verdict.head)].filter(Boolean).join(" · ")}
        </div>
        <Copyable value={fingerprint} what="the fingerprint" />
      </details>
    </li>
  );
}

function Approved({ approval }: { approval: NonNullable<Verdict["approval"]> }) {
  const { reason, until, approvedBy, approver, approvedAt } = approval;
  const names = useKeyNames();
  const name = names?.get(approvedBy);
  return (
    <Text size="sm" className="breaks">
      <Badge color="teal.9" size="sm">
        approved
      </Badge>{" "}
      <Time at={approvedAt} />
      {byWhom(approver, name)}
      {until !== null && `, until ${until}`}: {reason}
    </Text>
  );
}

/** Says where a change is, by its pointer: a stored description has one line. Empty if there is no such place. */
function placeOf(when: string, position: VerdictPosition | null): string {
  if (position === null) return "";
  return `${when}: ${position.file}#${position.pointer}`;
}
