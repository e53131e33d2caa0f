import { Code } from "@mantine/core";
import type { NormalizedFinding, ScanChanges } from "@waymark/shared/scans/schema.ts";
import { LOCALE } from "../../lib/locale.ts";
import { SeverityBadge } from "../../lib/severity.tsx";
import { placeOf } from "../describe-finding.ts";
import classes from "./findings.module.css";

/** The findings that are gone, and those with another severity, folded. */
export function OtherFindings({ findings }: { findings: ScanChanges["findings"] }) {
  const { fixed, removedWithEndpoint, severityChanged } = findings;
  return (
    <>
      <Folded title="Fixed findings" items={fixed.map((finding) => ({ finding }))} />
      <Folded
        title="Findings of removed or renamed endpoints"
        items={removedWithEndpoint.map((finding) => ({ finding }))}
      />
      <Folded
        title="Severity changed"
        items={severityChanged.map(({ before, after }) => ({ finding: after, was: before.severity }))}
      />
    </>
  );
}

function Folded({ title, items }: { title: string; items: { finding: NormalizedFinding; was?: string }[] }) {
  if (items.length === 0) return null;
  return (
    <details className={`${classes["findings"]} ${classes["rule"]}`}>
      <summary>
        {title} ({items.length.toLocaleString(LOCALE)})
      </summary>
      <ul className={`${classes["list"]} breaks`}>
        {items.map(({ finding, was }, index) => (
          <li key={index}>
            <SeverityBadge severity={finding.severity} /> {was !== undefined && `was ${was} `}
            <Code>{finding.code}</Code> {finding.message} — {placeOf(finding)}
          </li>
        ))}
      </ul>
    </details>
  );
}
