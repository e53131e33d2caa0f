import { Anchor, Skeleton, Text, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Link, Route, Switch } from "wouter";

// Each page loads when it is first opened, so that the first view waits for one page only.
const ServiceListPage = lazy(() => import("../services/service-list-page.tsx"));
const ServicePage = lazy(() => import("../services/service-page.tsx"));
const ScanRunPage = lazy(() => import("../scans/scan-run-page.tsx"));
const ApiKeyListPage = lazy(() => import("../api-keys/api-key-list-page.tsx"));

export function Pages() {
  return (
    <Suspense fallback={<Skeleton height={240} aria-label="Loading the page" />}>
      <Switch>
        <Route path="/">
          <ServiceListPage />
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
        <Route path="/api-keys">
          <ApiKeyListPage />
        </Route>
        <Route>
          <title>Page not found · Waymark</title>
          <Title order={1} mb="sm">
            Page not found
          </Title>
          <Text>
            No page has this address. Go to{" "}
            <Anchor component={Link} href="/">
              the services
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
