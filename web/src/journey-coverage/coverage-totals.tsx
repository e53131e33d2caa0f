import { Paper, Text } from "@mantine/core";
import classes from "./coverage.module.css";
import { describeShare } from "./filter-coverage.ts";
import type { Coverage } from "./load-coverage.ts";

const TOTALS = [
  { id: "acceptance", label: "Criteria proven" },
  { id: "must", label: "“Must” criteria proven" },
  { id: "operations", label: "Endpoints called" },
  { id: "asserted", label: "Endpoints asserted" },
] as const;

/** Four shares, each in words and as a bar. */
export function CoverageTotals({ shares }: { shares: Coverage["shares"] }) {
  return (
    <ul className={classes["totals"]} aria-label="Totals">
      {TOTALS.map(({ id, label }) => {
        const { percent, words } = describeShare(shares[id]);
        return (
          <Paper key={id} component="li" withBorder p="sm">
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text fw={700}>{words}</Text>
            <span className={classes["track"]} aria-hidden>
              <span className={classes["bar"]} style={{ width: `${percent}%` }} />
            </span>
          </Paper>
        );
      })}
    </ul>
  );
}
