import { Anchor, Skeleton, Text, Title } from "@mantine/core";
import { type ConsolePage, consolePageOf } from "@waymark/shared/console/schema.ts";
import { type ComponentType, Suspense } from "react";
import { Link, Route, Switch } from "wouter";
import { lazyPart } from "../lib/lazy-part.tsx";

const OPENED = consolePageOf(globalThis.location.pathname);

/** A page that loads when it is first opened, so that the first view waits for one page only. */
function page<Props extends object>(
  address: ConsolePage,
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  // The page that is opened first loads beside the session, not after it.
  const loading = OPENED === address ? load() : undefined;
  // Who renders the page sees the failure.
  loading?.catch(() => undefined);
  let first = loading;
  return lazyPart("The page", async () => {
    const module = first ?? load();
    first = undefined;
    return (await module).default;
  });
}

const OverviewPage = page("/", () => import("../services/overview-page.tsx"));
const ServiceListPage = page("/services", () => import("../services/service-list-page.tsx"));
const ServicePage = page("/services/:serviceId", () => import("../services/service-page.tsx"));
const ScanRunPage = page("/scan-runs/:scanRunId", () => import("../scans/scan-run-page.tsx"));
const EndpointSearchPage = page("/endpoints", () => import("../endpoint-search/endpoint-search-page.tsx"));
const FindingsPage = page("/findings", () => import("../scans/current-findings/findings-page.tsx"));
const JourneyListPage = page("/journeys", () => import("../journeys/list/journey-list-page.tsx"));
const NewJourneyPage = page("/journeys/new", () => import("../journeys/new/new-journey-page.tsx"));
const JourneyPage = page("/journeys/:journeyId", () => import("../journeys/document/journey-page.tsx"));
const BuildPage = page("/journeys/:journeyId/edit", () => import("../journeys/build/build-page.tsx"));
const JourneyRunPage = page("/journey-runs/:runId", () => import("../journeys/run/journey-run-page.tsx"));
const CoveragePage = page("/coverage", () => import("../journey-coverage/coverage-page.tsx"));
const EnvironmentListPage = page("/environments", () => import("../environments/environment-list-page.tsx"));
const EnvironmentPage = page(
  "/environments/:environmentId",
  () => import("../environments/environment-page.tsx"),
);
const ApiKeyListPage = page("/api-keys", () => import("../api-keys/api-key-list-page.tsx"));
const AuditLogPage = page("/audit-log", () => import("../api-keys/audit-log-page.tsx"));
const LimitsPage = page("/limits", () => import("../limits/limits-page.tsx"));

export function Pages() {
  return (
    <Suspense fallback={<Skeleton height={240} aria-label="Loading the page" />}>
      <Switch>
        <Route path="/">
          <OverviewPage />
        </Route>
        <Route path="/services">
          <ServiceListPage />
        </Route>
        <Route path="/services/:serviceId">
          {({ serviceId }) => <ServicePage key={serviceId} serviceId={serviceId} />}
        </Route>
        <Route path="/scan-runs/:scanRunId">
          {({ scanRunId }) => <ScanRunPage key={scanRunId} scanRunId={scanRunId} />}
        </Route>
        <Route path="/endpoints">
          <EndpointSearchPage />
        </Route>
        <Route path="/findings">
          <FindingsPage />
        </Route>
        <Route path="/journeys">
          <JourneyListPage />
        </Route>
        <Route path="/journeys/new">
          <NewJourneyPage />
        </Route>
        <Route path="/journeys/:journeyId">
          {({ journeyId }) => <JourneyPage key={journeyId} journeyId={journeyId} />}
        </Route>
        <Route path="/journeys/:journeyId/edit">
          {({ journeyId }) => <BuildPage key={journeyId} journeyId={journeyId} />}
        </Route>
        <Route path="/journey-runs/:runId">
          {({ runId }) => <JourneyRunPage key={runId} runId={runId} />}
        </Route>
        <Route path="/coverage">
          <CoveragePage />
        </Route>
        <Route path="/environments">
          <EnvironmentListPage />
        </Route>
        <Route path="/environments/:environmentId">
          {({ environmentId }) => <EnvironmentPage key={environmentId} environmentId={environmentId} />}
        </Route>
        <Route path="/api-keys">
          <ApiKeyListPage />
        </Route>
        <Route path="/audit-log">
          <AuditLogPage />
        </Route>
        <Route path="/limits">
          <LimitsPage />
        </Route>
        <Route>
          <title>Page not found · Waymark</title>
          <Title order={1} mb="sm">
            Page not found
          </Title>
          <Text>
            No page has this address. Go to{" "}
            <Anchor component={Link} href="/services">
              the services
            </Anchor>
            ,{" "}
            <Anchor component={Link} href="/journeys">
              the journeys
            </Anchor>{" "}
            or{" "}
            <Anchor component={Link} href="/api-keys">
              the API keys
            </Anchor>
            .
          </Text>
        </Route>
      </Switch>
    </Suspense>
  );
}
