import type { Severity } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { SEVERITIES } from "../lib/severities.ts";
import classes from "./severity-bars.module.css";
import { LOCALE } from "../lib/locale.ts";

/** The number of findings of each severity, as bars that link to those findings; null while loading. */
export function SeverityBars({ counts }: { counts: Readonly<Record<Severity, number>> | null }) {
  const most = Math.max(...SEVERITIES.map((severity) => counts?.[severity] ?? 0), 1);
  return (
    <ul className={classes["bars"]} aria-label="Findings by severity">
      {SEVERITIES.map((severity) => (
        <li key={severity}>
          <SeverityBar severity={severity} count={counts?.[severity]} most={most} />
        </li>
      ))}
    </ul>
  );
}

function SeverityBar(props: { severity: Severity; count: number | undefined; most: number }) {
  const { severity, count = 0, most } = props;
  const content = (
    <>
      <span>{severity}</span>
      <span className={classes["track"]} aria-hidden>
        <span
          className={classes["bar"]}
          style={{ width: `${(count / most) * 100}%`, background: `var(--bar-${severity})` }}
        />
      </span>
      <span className={classes["count"]}>{props.count?.toLocaleString(LOCALE) ?? "–"}</span>
    </>
  );
  if (count === 0) return <span className={classes["line"]}>{content}</span>;
  return (
    <Link href={`?${new URLSearchParams({ tab: "findings", severity })}`} className={classes["line"] ?? ""}>
      {content}
    </Link>
  );
}
