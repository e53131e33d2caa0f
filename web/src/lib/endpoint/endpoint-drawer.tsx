import { Anchor, Code, Drawer, Stack } from "@mantine/core";
import { Link } from "wouter";
import { useReturnFocus } from "../use-return-focus.ts";
import { endpointAddress, type EndpointName } from "./endpoint-address.ts";
import { EndpointDetails } from "./endpoint-details.tsx";

/** An endpoint beside the list that it is opened from. */
export function EndpointDrawer(props: {
  serviceId: string;
  scanRunId: string;
  endpoint: EndpointName;
  onClose: () => void;
}) {
  const { serviceId, scanRunId, endpoint, onClose } = props;
  useReturnFocus();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      title={
        <span className="breaks">
          <Code>{endpoint.method}</Code> {endpoint.path}
        </span>
      }
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <Anchor component={Link} href={endpointAddress(serviceId, endpoint, scanRunId)} size="sm">
          Open as a page
        </Anchor>
        <EndpointDetails serviceId={serviceId} scanRunId={scanRunId} endpoint={endpoint} />
      </Stack>
    </Drawer>
  );
}
