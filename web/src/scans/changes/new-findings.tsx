import { Anchor, Button, Code, Skeleton, Text, Title } from "@mantine/core";
import type { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import type { NormalizedFinding, RunFinding, ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LOCALE } from "../../lib/locale.ts";
import { SeverityBadge } from "../../lib/severity.tsx";
import { useMay } from "../../lib/use-session.ts";
import { DecisionBadge, ExceededBadge } from "../decisions/decision-badge.tsx";
import { FindingDecision } from "../decisions/finding-decision.tsx";
import { placeOf } from "../describe-finding.ts";
import { useFindings } from "../use-scan-run.ts";
import classes from "./findings.module.css";
import { findingKey, groupByRule, type RuleFindings } from "./group-by-rule.ts";

/** The number of findings of a rule that are shown before it is unfolded. */
const SHOWN_FINDINGS = 20;

/** The findings that the run before did not have, by rule, each with the way to decide. Renders nothing if there are none. */
export function NewFindings({ run, findings }: { run: ScanRun; findings: readonly NormalizedFinding[] }) {
  const rules = useMemo(() => groupByRule(findings), [findings]);
  if (rules.length === 0) return null;
  return (
    <section aria-labelledby="new-findings" className={classes["findings"]}>
      <Title order={3} size="h4" id="new-findings" className={classes["title"] ?? ""}>
        New findings ({findings.length.toLocaleString(LOCALE)})
      </Title>
      {rules.map((rule) => (
        <Rule key={rule.code} run={run} rule={rule} />
      ))}
    </section>
  );
}

function Rule({ run, rule }: { run: ScanRun; rule: RuleFindings }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes["rule"]} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="breaks">
        <SeverityBadge severity={rule.severity} /> <Code>{rule.code}</Code> ×{" "}
        {rule.findings.length.toLocaleString(LOCALE)}
      </summary>
      {isOpen && <FindingsOfRule run={run} rule={rule} />}
    </details>
  );
}

/** The findings as the run's list has them: with their decisions, and with their places in it. */
function FindingsOfRule({ run, rule }: { run: ScanRun; rule: RuleFindings }) {
  const all = useFindings(run);
  const [isWhole, setIsWhole] = useState(false);
  const listed = useMemo(() => {
    const wanted = new Set(rule.findings.map(findingKey));
    return (all.data ?? []).flatMap((finding, index) =>
      wanted.has(findingKey(finding)) ? [{ finding, index }] : [],
    );
  }, [all.data, rule]);
  if (all.isLoadingError) return <ErrorAlert error={all.error} onRetry={() => void all.refetch()} />;
  if (all.isPending) return <Skeleton height={60} aria-label="Loading the findings" />;
  const shown = listed.slice(0, isWhole ? undefined : SHOWN_FINDINGS);
  return (
    <>
      <ul className={classes["list"]}>
        {shown.map(({ finding, index }) => (
          <FindingLine key={index} run={run} finding={finding} index={index} />
        ))}
      </ul>
      {listed.length > shown.length && (
        <Button size="xs" variant="default" onClick={() => setIsWhole(true)}>
          Show all {listed.length.toLocaleString(LOCALE)}
        </Button>
      )}
    </>
  );
}

function FindingLine({ run, finding, index }: { run: ScanRun; finding: RunFinding; index: number }) {
  const [deciding, setDeciding] = useState<DecisionKind | null>(null);
  const mayDecide = useMay("findings:decide");
  const { message, severity, decision, exceededDecision } = finding;
  return (
    <li>
      <div className={classes["line"]}>
        <SeverityBadge severity={severity} />
        {!mayDecide && <DecisionBadge decision={decision} />}
        {!mayDecide && <ExceededBadge decision={exceededDecision} />}
        <Anchor
          component={Link}
          href={`?${new URLSearchParams({ tab: "findings", finding: String(index) })}`}
          className="breaks"
        >
          {message.trim() === "" ? "(no message)" : message}
        </Anchor>
        <Text span size="xs" c="dimmed" className="breaks">
          {placeOf(finding)}
        </Text>
      </div>
      {mayDecide && (
        <FindingDecision
          serviceId={run.serviceId}
          finding={finding}
          decision={decision}
          exceededDecision={exceededDecision}
          deciding={deciding}
          onDeciding={setDeciding}
          hasKeys={false}
        />
      )}
    </li>
  );
}
