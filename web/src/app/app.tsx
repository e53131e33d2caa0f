import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { SHARED_RUN_PAGE } from "@waymark/shared/console/schema.ts";
import { Suspense } from "react";
import { Router } from "wouter";
import { ApiError } from "../lib/api.ts";
import { addressOf, pathOfAddress } from "../lib/base-path.ts";
import { lazyPart } from "../lib/lazy-part.tsx";
import { styleNonce } from "../lib/style-nonce.ts";
import { useConsoleLocation } from "../lib/use-console-location.ts";
import { SessionGate } from "../session/session-gate.tsx";
import { Pages } from "./pages.tsx";
import { Shell } from "./shell.tsx";
import { theme } from "./theme.ts";

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retries failed connections and server errors only. Another error response would be the same again.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

const SharedRunPage = lazyPart(
  "The page of the run",
  async () => (await import("../journeys/shared/shared-run-page.tsx")).SharedRunPage,
);

/** True on the page that a link to a run opens, which is outside of the console and of its session. */
function isShared(): boolean {
  return pathOfAddress(globalThis.location.pathname) === SHARED_RUN_PAGE;
}

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queryClient}>
        <Router hook={useConsoleLocation} hrefs={addressOf}>
          {isShared() ? (
            <Suspense>
              <SharedRunPage />
            </Suspense>
          ) : (
            <SessionGate>
              <Shell>
                <Pages />
              </Shell>
            </SessionGate>
          )}
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
