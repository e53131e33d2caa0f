import { Anchor } from "@mantine/core";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { openBySeverity, sumOf } from "../../lib/open-findings.ts";
import { SEVERITIES } from "../../lib/severities.ts";
import { useServiceFilterAddress } from "../../lib/use-service-filter.ts";
import classes from "./overview.module.css";
import { LOCALE } from "../../lib/locale.ts";

/** The sums of all current scans. Severities are those of open findings, and lead to them. */
export function OverviewTotals({ overview }: { overview: Overview }) {
  const { serviceCount, endpointCount, findingCount, decidedBySeverity } = overview;
  const open = openBySeverity(overview);
  const decided = sumOf(decidedBySeverity);
  const state: Record<string, string> = decided === 0 ? {} : { state: "open" };
  const addressOf = useServiceFilterAddress();
  return (
    <ul className={classes["totals"]} aria-label="Totals of the current scans">
      <li>
        <Anchor component={Link} href={addressOf("/services")}>
          {countOf(serviceCount, "services")}
        </Anchor>
      </li>
      <li>
        <Anchor component={Link} href={addressOf("/endpoints")}>
          {countOf(endpointCount, "endpoints")}
        </Anchor>
      </li>
      <li>
        <Anchor component={Link} href={addressOf("/findings")}>
          {countOf(findingCount, "findings")}
        </Anchor>
      </li>
      {SEVERITIES.filter((severity) => open[severity] > 0).map((severity) => (
        <li key={severity} className={classes["severity"]}>
          <span aria-hidden className={classes["dot"]} style={{ background: `var(--bar-${severity})` }} />
          <Anchor component={Link} href={addressOf("/findings", { severity, ...state })} c="inherit">
            {open[severity].toLocaleString(LOCALE)} {severity}
          </Anchor>
        </li>
      ))}
      {decided > 0 && (
        <li className={classes["severity"]}>
          <Anchor component={Link} href={addressOf("/findings", { state: "decided" })} c="inherit">
            {decided.toLocaleString(LOCALE)} decided
          </Anchor>
        </li>
      )}
      {overview.overdueFindingCount > 0 && (
        <li className={classes["severity"]}>
          <Anchor component={Link} href={addressOf("/findings", { due: "overdue" })} c="inherit">
            {overview.overdueFindingCount.toLocaleString(LOCALE)} overdue
          </Anchor>
        </li>
      )}
    </ul>
  );
}
