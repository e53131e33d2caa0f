import { Skeleton, Text, Title } from "@mantine/core";
import { type ConsolePage, consolePageOf, pageParamsOf } from "@waymark/shared/console/schema.ts";
import { type ComponentType, Suspense } from "react";
import { useLocation } from "wouter";
import { PageLinks } from "../lib/error-alert.tsx";
import { lazyPart } from "../lib/lazy-part.tsx";
import { ROUTES } from "./routes.ts";

/** The components of the pages. Their props are the parameters of their addresses. */
const PAGES = new Map(
  Object.entries(ROUTES).map(([page, { load }]) => [
    page,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `OpenedPage` renders each with its own parameters
    lazyPart("The page", async () => (await load()).default as ComponentType<object>),
  ]),
);

/** Shows the page of the address. */
export function Pages() {
  const [location] = useLocation();
  const page = consolePageOf(location);
  return (
    <Suspense fallback={<Skeleton height={240} aria-label="Loading the page" />}>
      {page === undefined ? <NoPage /> : <OpenedPage page={page} location={location} />}
    </Suspense>
  );
}

function OpenedPage({ page, location }: { page: ConsolePage; location: string }) {
  const Page = PAGES.get(page);
  const params = pageParamsOf(page, location);
  return (
    <>
      <title>{`${ROUTES[page].title} · Waymark`}</title>
      {Page !== undefined && <Page key={[page, ...Object.values(params)].join("\n")} {...params} />}
    </>
  );
}

function NoPage() {
  return (
    <>
      <title>Page not found · Waymark</title>
      <Title order={1} mb="sm">
        Page not found
      </Title>
      <Text>
        No page has this address. Go to <PageLinks />.
      </Text>
    </>
  );
}
