import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { ApiError } from "../lib/api.ts";
import { SessionGate } from "../session/session-gate.tsx";
import { Pages } from "./pages.tsx";
import { Shell } from "./shell.tsx";
import { theme } from "./theme.ts";

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal is an answer: only what never arrived is worth asking again.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

/** The api puts a new nonce into each page; Mantine's own style elements need it under the strict policy. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queryClient}>
        <SessionGate>
          <Shell>
            <Pages />
          </Shell>
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  );
}
