import type { ReactNode } from "react";
import { lazyDialog } from "../lazy-dialog.tsx";
import { operationOf } from "../operation.ts";
import { useUrlDialog } from "../use-url-state.ts";
import { endpointNamed, type EndpointName } from "./endpoint-address.ts";

const EndpointDrawer = lazyDialog(async () => (await import("./endpoint-drawer.tsx")).EndpointDrawer);

/** The drawer of the endpoint that the address names, for a list of endpoints of one run. */
export function useEndpointDrawer(run: { serviceId: string; scanRunId: string | null }): {
  open: (endpoint: EndpointName) => void;
  drawer: ReactNode;
} {
  const dialog = useUrlDialog("endpoint");
  const endpoint = endpointNamed(dialog.value);
  const { serviceId, scanRunId } = run;
  return {
    open: ({ method, path }) => dialog.open(operationOf(method, path)),
    drawer:
      endpoint === undefined || scanRunId === null ? null : (
        <EndpointDrawer
          serviceId={serviceId}
          scanRunId={scanRunId}
          endpoint={endpoint}
          onClose={dialog.close}
        />
      ),
  };
}
