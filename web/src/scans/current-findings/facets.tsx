import { Button, Text } from "@mantine/core";
import {
  DUE_SOON_DAYS,
  FindingAge,
  FindingDue,
  type FindingSummary,
} from "@waymark/shared/scans/current-findings/schema.ts";
import { FindingState } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { type ReactNode, useId, useState } from "react";
import { countOf } from "../../lib/count-of.ts";
import { SEVERITIES } from "../../lib/severities.ts";
import classes from "./facets.module.css";
import type { FindingFilter } from "./api-queries.ts";
import { LOCALE } from "../../lib/locale.ts";

/** The number of rules and services that are shown first. */
const SHOWN_FIRST = 8;

const AGES: Record<FindingAge, string> = {
  today: "today (UTC)",
  week: "in the last 7 days",
  month: "in the last 30 days",
  older: "more than 30 days ago",
};

const DUES: Record<FindingDue, string> = {
  overdue: "overdue",
  soon: `in the next ${DUE_SOON_DAYS} days (UTC)`,
};

/** Shows the filters of the findings, each with its number of findings. A second click removes the chosen one. */
export function Facets(props: {
  summary: FindingSummary;
  filter: FindingFilter;
  /** True if a search filters the list, which then has fewer findings than these numbers say. */
  isSearch: boolean;
  onSeverity: (severity: string) => void;
  onRule: (rule: string) => void;
  onService: (serviceId: string) => void;
  onFirstSeen: (age: string) => void;
  onState: (state: string) => void;
  onDue: (due: string) => void;
}) {
  const { summary, filter, isSearch, onSeverity, onRule, onService, onFirstSeen, onState, onDue } = props;
  const {
    findingsBySeverity,
    findingsByState,
    findingsByAge,
    findingsByDue,
    rules,
    ruleCount,
    services,
    serviceCount,
  } = summary;
  return (
    <div className={classes["facets"]}>
      {isSearch && (
        <Text size="sm">The numbers are of all findings, not of those that the search finds.</Text>
      )}
      <Facet
        name="Severity"
        total={SEVERITIES.length}
        chosen={filter.severity}
        onChoose={onSeverity}
        items={SEVERITIES.map((severity) => ({
          value: severity,
          label: (
            <>
              <span aria-hidden className={classes["dot"]} style={{ background: `var(--bar-${severity})` }} />
              {severity}
            </>
          ),
          count: findingsBySeverity[severity],
        }))}
      />
      <Facet
        name="State"
        total={FindingState.options.length}
        chosen={filter.state}
        onChoose={onState}
        items={FindingState.options.map((state) => ({
          value: state,
          label: state,
          count: findingsByState[state],
        }))}
      />
      <Facet
        name="First seen"
        total={FindingAge.options.length}
        chosen={filter.firstSeen}
        onChoose={onFirstSeen}
        items={FindingAge.options.map((age) => ({ value: age, label: AGES[age], count: findingsByAge[age] }))}
      />
      {/* Without deadlines, nothing is ever due. */}
      {(filter.due !== "" || findingsByDue.overdue + findingsByDue.soon > 0) && (
        <Facet
          name="Due"
          total={FindingDue.options.length}
          chosen={filter.due}
          onChoose={onDue}
          items={FindingDue.options.map((due) => ({
            value: due,
            label: DUES[due],
            count: findingsByDue[due],
          }))}
        />
      )}
      <Facet
        name="Rule"
        total={ruleCount}
        chosen={filter.code}
        onChoose={onRule}
        items={rules.map(({ code, severity, findingCount, serviceCount: inServices }) => ({
          value: code,
          label: (
            <>
              <span aria-hidden className={classes["dot"]} style={{ background: `var(--bar-${severity})` }} />
              {code === "" ? "(no code)" : code}
            </>
          ),
          title: `${code}: ${severity}, in ${countOf(inServices, "services")}`,
          count: findingCount,
        }))}
      />
      <Facet
        name="Service"
        total={serviceCount}
        chosen={filter.serviceId}
        onChoose={onService}
        items={services.map(({ serviceId, serviceName, findingCount }) => ({
          value: serviceId,
          label: serviceName,
          title: serviceName,
          count: findingCount,
        }))}
      />
    </div>
  );
}

interface FacetItem {
  value: string;
  label: ReactNode;
  title?: string;
  count: number;
}

function Facet(props: {
  name: string;
  items: readonly FacetItem[];
  /** The number of all items, also of those that are not listed. */
  total: number;
  chosen: string;
  onChoose: (value: string) => void;
}) {
  const { name, items, total, chosen, onChoose } = props;
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  // The chosen one is always there, to be removed.
  const shown = isWhole ? items : items.filter(({ value }, index) => index < SHOWN_FIRST || value === chosen);
  const isUnlisted = chosen !== "" && !items.some(({ value }) => value === chosen);
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={classes["name"]}>
        {name}
      </h2>
      <ul className={classes["items"]} data-whole={isWhole || undefined}>
        {isUnlisted && (
          <li>
            <button type="button" className={classes["item"]} aria-pressed onClick={() => onChoose("")}>
              <span className={classes["label"]}>The chosen {name.toLowerCase()}</span>
              <span className={classes["count"]}>0</span>
            </button>
          </li>
        )}
        {shown.map(({ value, label, title, count }) => (
          <li key={value}>
            <button
              type="button"
              className={classes["item"]}
              title={title}
              aria-pressed={value === chosen}
              disabled={count === 0 && value !== chosen}
              onClick={() => onChoose(value === chosen ? "" : value)}
            >
              <span className={classes["label"]}>{label}</span>
              <span className={classes["count"]}>{count.toLocaleString(LOCALE)}</span>
            </button>
          </li>
        ))}
      </ul>
      {!isWhole && items.length > SHOWN_FIRST && (
        <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
          {total > items.length
            ? `Show ${items.length} of ${total.toLocaleString(LOCALE)}`
            : `Show all ${items.length}`}
        </Button>
      )}
    </section>
  );
}
