import { Skeleton, Text, Title } from "@mantine/core";
import { type ComponentType, Suspense } from "react";
import { Route, Switch } from "wouter";
import { PageLinks } from "../lib/error-alert.tsx";
import { lazyPart } from "../lib/lazy-part.tsx";
import { PAGE_MODULES } from "./page-modules.ts";

function page<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  return lazyPart("The page", async () => (await load()).default);
}

const OverviewPage = page(PAGE_MODULES["/"]);
const ServiceListPage = page(PAGE_MODULES["/services"]);
const ServicePage = page(PAGE_MODULES["/services/:serviceId"]);
const ScanRunPage = page(PAGE_MODULES["/scan-runs/:scanRunId"]);
const EndpointSearchPage = page(PAGE_MODULES["/endpoints"]);
const FindingsPage = page(PAGE_MODULES["/findings"]);
const JourneyListPage = page(PAGE_MODULES["/journeys"]);
const NewJourneyPage = page(PAGE_MODULES["/journeys/new"]);
const JourneyPage = page(PAGE_MODULES["/journeys/:journeyId"]);
const BuildPage = page(PAGE_MODULES["/journeys/:journeyId/edit"]);
const JourneyRunPage = page(PAGE_MODULES["/journey-runs/:runId"]);
const CoveragePage = page(PAGE_MODULES["/coverage"]);
const EnvironmentListPage = page(PAGE_MODULES["/environments"]);
const EnvironmentPage = page(PAGE_MODULES["/environments/:environmentId"]);
const ApiKeyListPage = page(PAGE_MODULES["/api-keys"]);
const AuditLogPage = page(PAGE_MODULES["/audit-log"]);
const LimitsPage = page(PAGE_MODULES["/limits"]);

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
            No page has this address. Go to <PageLinks />.
          </Text>
        </Route>
      </Switch>
    </Suspense>
  );
}
