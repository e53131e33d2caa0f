import { requestOf } from "@waymark/shared/operations/request.ts";
import { exportFindings } from "@waymark/shared/scans/current-findings/addresses.ts";
import { Anchor, Group, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import {
  type CurrentFindingPage,
  EXPORT_FINDINGS_MAX,
  ExportFormat,
  FINDING_SEARCH_MAX,
  type FindingSummary,
} from "@waymark/shared/scans/current-findings/schema.ts";
import { addressOf } from "../../lib/base-path.ts";
import { AssigneeFilter, useAssigneeFilter } from "../../lib/assignee-filter.tsx";
import { countOf } from "../../lib/count-of.ts";
import { FilterRow } from "../../lib/filters.tsx";
import { LabelFilter, useLabelFilter } from "../../lib/label-filter.tsx";
import { OwnerFilter, useOwnerFilter } from "../../lib/owner-filter.tsx";
import { SavedViewsMenu } from "../../lib/saved-views/saved-views-menu.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import { OwnFindings } from "../finding-work/own-findings.tsx";
import { DecisionsSection } from "../decisions/decisions-section.tsx";
import { PolicySection } from "../severity-policy/policy-section.tsx";
import { CurrentFindingTable } from "./current-finding-table.tsx";
import { Facets } from "./facets.tsx";
import classes from "./findings-page.module.css";
import { PAGE_LIMIT } from "../../lib/api-query.ts";
import { type FindingFilter, queryOf } from "./api-queries.ts";
import { useCurrentFindings, useFindingSummary } from "./use-current-findings.ts";
import { LOCALE } from "../../lib/locale.ts";

/** The page of the findings of all services' current scans, with their filters. */
export default function FindingsPage() {
  const [severity, setSeverity] = useUrlState("severity");
  const [code, setCode] = useUrlState("code");
  const [serviceId, setServiceId] = useUrlState("serviceId");
  const [firstSeen, setFirstSeen] = useUrlState("firstSeen");
  const [state, setState] = useUrlState("state");
  const [due, setDue] = useUrlState("due");
  const [text, setText] = useUrlState("q");
  const { text: label } = useLabelFilter();
  const owner = useOwnerFilter();
  const assignee = useAssigneeFilter();
  const filter: FindingFilter = { severity, code, serviceId, firstSeen, state, due, assignee, label, owner };
  const summary = useFindingSummary(filter);
  const isPhone = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  return (
    <Stack>
      <div>
        <Title order={1}>Findings</Title>
        <Text size="sm" c="dimmed">
          Of the current scans of all services, the most severe first.
        </Text>
      </div>
      {summary.isPending && <Skeleton height={640} aria-label="Loading the findings" />}
      {summary.isLoadingError && <ErrorAlert error={summary.error} onRetry={() => void summary.refetch()} />}
      {summary.data !== undefined && (
        <div className={classes["columns"]}>
          <a className="skip-link" href="#found">
            Skip to the findings
          </a>
          <details open={!isPhone} className={classes["facets"]}>
            <summary>Filters</summary>
            <Facets
              summary={summary.data}
              filter={filter}
              isSearch={text.trim() !== ""}
              onSeverity={setSeverity}
              onRule={setCode}
              onService={setServiceId}
              onFirstSeen={setFirstSeen}
              onState={setState}
              onDue={setDue}
            />
          </details>
          <Stack gap="sm" className={classes["found"] ?? ""} id="found" tabIndex={-1}>
            <FilterRow actions={<SavedViewsMenu />}>
              <AssigneeFilter />
              <OwnerFilter />
              <LabelFilter />
            </FilterRow>
            <TextInput
              label="Search"
              placeholder="Words of messages, methods and paths, or their beginnings"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              maxLength={FINDING_SEARCH_MAX}
              maw={520}
              data-search
            />
            <Found summary={summary.data} filter={filter} text={text} />
            <OwnFindings />
            <DecisionsSection serviceId={serviceId} />
            <PolicySection />
          </Stack>
        </div>
      )}
    </Stack>
  );
}

function Found(props: { summary: FindingSummary; filter: FindingFilter; text: string }) {
  const { summary, filter, text } = props;
  const findings = useCurrentFindings(filter, text);
  const { findingCount } = summary;
  const isSearch = text.trim() !== "";
  if (findings.isLoadingError)
    return <ErrorAlert error={findings.error} onRetry={() => void findings.refetch()} />;
  if (findings.isPending) return <Skeleton height={480} aria-label="Loading the findings" />;
  const rows = rowsOf(findings.data);
  const left = findingCount - rows.length;
  const isFiltered = isSearch || Object.values(filter).some((value) => value !== "");
  // The server does not count the findings that match a search.
  const count = isSearch
    ? `${findings.hasNextPage ? "The first " : ""}${countOf(rows.length, "findings")}`
    : countOf(findingCount, "findings");
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Text role="status" size="sm">
          {count}
        </Text>
        {rows.length > 0 && <Exports count={findingCount} filter={filter} text={text} />}
      </Group>
      {rows.length === 0 && (
        <Text>{isFiltered ? "No finding matches these filters." : "No findings in the current scans."}</Text>
      )}
      <CurrentFindingTable
        list={JSON.stringify([filter, text])}
        matching={{
          count: isSearch ? null : findingCount,
          loaded: rows,
          isAllLoaded: !findings.hasNextPage,
          loadMore: async () => {
            const { data, hasNextPage } = await findings.fetchNextPage({ throwOnError: true });
            return { loaded: data === undefined ? [] : rowsOf(data), isAllLoaded: !hasNextPage };
          },
        }}
      />
      {left > 0 && (
        <LoadMore
          pages={findings}
          label={
            isSearch
              ? `Show ${PAGE_LIMIT} more`
              : `Show ${Math.min(left, PAGE_LIMIT)} more of ${left.toLocaleString(LOCALE)}`
          }
          size="sm"
        />
      )}
    </>
  );
}

const rowsOf = ({ pages }: { pages: readonly CurrentFindingPage[] }) =>
  pages.flatMap(({ findings }) => findings);

/** @param props.count of the findings without the text, which decides whether the server exports them */
function Exports({ count, filter, text }: { count: number; filter: FindingFilter; text: string }) {
  if (count > EXPORT_FINDINGS_MAX) {
    return (
      <Text size="sm" c="dimmed">
        An export has at most {EXPORT_FINDINGS_MAX.toLocaleString(LOCALE)} findings. Add a filter.
      </Text>
    );
  }
  return (
    <Group gap="sm" role="group" aria-label="Export">
      <Text size="sm" c="dimmed" aria-hidden>
        Export
      </Text>
      {ExportFormat.options.map((format) => {
        const query = { ...queryOf(filter, text), format };
        return (
          <Anchor key={format} fz="sm" href={addressOf(requestOf(exportFindings, { query }).path)} download>
            {format.toUpperCase()}
          </Anchor>
        );
      })}
    </Group>
  );
}
