import { Paper, Progress, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Limits, Quota } from "@waymark/shared/limits/schema.ts";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { Fact, Facts } from "../lib/facts.tsx";
import { describeBytes, describeLimits, describeReset } from "./describe-limits.ts";
import classes from "./limits-page.module.css";
import { type Counts, useCounts, useLimits } from "./use-limits.ts";
import { LOCALE } from "../lib/locale.ts";

/** A quota's bar has another colour from here on. */
const SCARCE_PERCENT = 90;

/** The page of the organization's usage and the server's limits. */
export default function LimitsPage() {
  const limits = useLimits();
  return (
    <Stack gap="lg">
      <div>
        <Breadcrumbs steps={[{ href: "/api-keys", label: "API keys" }]} />
        <Title order={1}>Limits and usage</Title>
      </div>
      {limits.isPending && <Skeleton height={640} aria-label="Loading the limits" />}
      {limits.isLoadingError && <ErrorAlert error={limits.error} onRetry={() => void limits.refetch()} />}
      {limits.data !== undefined && (
        <>
          <Usage limits={limits.data} />
          <LimitGroups limits={limits.data} />
        </>
      )}
    </Stack>
  );
}

function Usage({ limits }: { limits: Limits }) {
  const counts = useCounts();
  const { requestsPerMinute, scansPerDay, bytesPerDay } = limits.organization;
  return (
    <section aria-labelledby="usage">
      <Title order={2} size="h3" id="usage" mb="xs">
        Usage of your organization
      </Title>
      <div className={classes["usage"]}>
        <QuotaCard label="Requests this minute" quota={requestsPerMinute} />
        <QuotaCard label="Scans today" quota={scansPerDay} />
        <QuotaCard label="Data of scans today" quota={bytesPerDay} describe={describeBytes} />
        <CountsCard counts={counts} limits={limits} />
      </div>
    </section>
  );
}

function QuotaCard(props: { label: string; quota: Quota | null; describe?: (value: number) => string }) {
  const { label, quota, describe = (value: number) => value.toLocaleString(LOCALE) } = props;
  const percent = quota === null ? 0 : Math.min(100, (100 * quota.used) / Math.max(1, quota.limit));
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {quota === null ? (
        <Text>No limit, so nothing is counted.</Text>
      ) : (
        <>
          <Text>
            <strong>{describe(quota.used)}</strong> of {describe(quota.limit)}
          </Text>
          <Progress
            value={percent}
            color={percent >= SCARCE_PERCENT ? "red.9" : "teal.9"}
            aria-label={label}
            my={6}
          />
          <Text size="sm" c="dimmed">
            Starts again {describeReset(quota)}.
          </Text>
        </>
      )}
    </Paper>
  );
}

/** Shows the number of items of each kind, as far as the session may list them. */
function CountsCard({ counts, limits }: { counts: Counts; limits: Limits }) {
  const rows: [name: string, count: number | undefined, max?: number][] = [
    ["Services", counts.services],
    ["Active API keys", counts.activeKeys],
    ["Environments", counts.environments, limits.environments.environmentsMax],
    ["Schedules", counts.schedules, limits.journeySchedules.schedulesMax],
  ];
  return (
    <Paper withBorder p="md">
      <Facts>
        {rows.map(([name, count, max]) => (
          <Fact key={name} name={name}>
            {count === undefined ? "–" : count.toLocaleString(LOCALE)}
            {max !== undefined && ` of ${max.toLocaleString(LOCALE)}`}
          </Fact>
        ))}
      </Facts>
    </Paper>
  );
}

function LimitGroups({ limits }: { limits: Limits }) {
  return (
    <section aria-labelledby="limits">
      <Title order={2} size="h3" id="limits" mb={4}>
        Limits
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        The highest values that the server accepts. Its operator sets the limits of requests and the lifetime
        of keys.
      </Text>
      <div className={classes["grid"]}>
        {describeLimits(limits).map(({ title, limits: rows }) => (
          <Paper key={title} withBorder p="md">
            <Title order={3} size="sm" mb="xs">
              {title}
            </Title>
            <Facts>
              {rows.map(([what, limit]) => (
                <Fact key={what} name={what}>
                  <span className="whole">{limit}</span>
                </Fact>
              ))}
            </Facts>
          </Paper>
        ))}
      </div>
    </section>
  );
}
