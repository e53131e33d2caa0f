import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Router } from "wouter";
import { ApiError } from "../lib/api.ts";
import { addressOf } from "../lib/base-path.ts";
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

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queryClient}>
        <Router hook={useConsoleLocation} hrefs={addressOf}>
          <SessionGate>
            <Shell>
              <Pages />
            </Shell>
          </SessionGate>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
