import type { Severity } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { SEVERITIES, SEVERITY_COLORS } from "../lib/severity.tsx";
import classes from "./severity-bars.module.css";

/** Findings by severity, as bars that lead to the findings of their kind; null while they are not counted. */
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
          style={{ width: `${(count / most) * 100}%`, background: cssColor(SEVERITY_COLORS[severity]) }}
        />
      </span>
      <span className={classes["count"]}>{props.count?.toLocaleString() ?? "–"}</span>
    </>
  );
  if (count === 0) return <span className={classes["line"]}>{content}</span>;
  return (
    <Link href={`?${new URLSearchParams({ tab: "findings", severity })}`} className={classes["line"] ?? ""}>
      {content}
    </Link>
  );
}

/** `red.9` is the theme's name of a colour. */
function cssColor(color: string): string {
  return color.startsWith("#") ? color : `var(--mantine-color-${color.replace(".", "-")})`;
}
