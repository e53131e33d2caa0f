import { Badge, Button, Code, Text } from "@mantine/core";
import type { Verdict, VerdictPosition } from "@waymark/shared/scans/comparisons/schema.ts";
import { byWhom } from "../by-whom.ts";
import { Copyable } from "../facts.tsx";
import { SEVERITY_COLORS } from "../severities.ts";
import { Time } from "../time.tsx";
import { useKeyNames } from "../use-key-names.ts";
import classes from "./verdicts.module.css";

const LEVELS = {
  breaking: { label: "breaks clients", color: SEVERITY_COLORS.critical },
  maybe: { label: "may break clients", color: SEVERITY_COLORS.medium },
  safe: { label: "breaks no client", color: SEVERITY_COLORS.info },
} as const;

/** One change: what stops working for whom, where, and the fragment before and after. */
export function VerdictItem({
  verdict,
  onApprove,
}: {
  verdict: Verdict;
  onApprove?: (() => void) | undefined;
}) {
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
      {(before !== null || after !== null) && (
        <div className={classes["fragments"]}>
          <Fragment title="Before" kind="removed" text={before} />
          <Fragment title="After" kind="added" text={after} />
        </div>
      )}
      {witness !== undefined && (
        <Text size="sm" className="breaks">
          {direction === "response" ? "Can now arrive" : "No longer accepted"}:{" "}
          <Code>{JSON.stringify(witness)}</Code>
        </Text>
      )}
      <div className={classes["places"]}>
        <span className="breaks">
          {[at, placeOf("before", verdict.base), placeOf("now", verdict.head)].filter(Boolean).join(" · ")}
        </span>
        <Code>{id}</Code>
        <Copyable value={fingerprint} what="the fingerprint" />
      </div>
    </li>
  );
}

function Fragment({ title, kind, text }: { title: string; kind: "removed" | "added"; text: string | null }) {
  return (
    <div className={classes["fragment"]} data-kind={kind}>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <pre>{text ?? "nothing"}</pre>
    </div>
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
