import { Anchor, Code, Skeleton, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { Problem } from "../lib/problem.tsx";
import { Time } from "../lib/time.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { useServices } from "./use-services.ts";

export default function ServiceListPage() {
  const services = useServices();
  return (
    <Stack>
      <title>Services · Waymark</title>
      <Title order={1}>Services</Title>
      {services.isPending && <Skeleton height={240} aria-label="Loading the services" />}
      {services.isError && <Problem error={services.error} onRetry={() => void services.refetch()} />}
      {services.isSuccess &&
        (services.data.length === 0 ? <NoServices /> : <ServiceTable services={services.data} />)}
    </Stack>
  );
}

function NoServices() {
  return (
    <div>
      <Text mb="xs">No service was scanned yet. Submit the first scan from a checkout:</Text>
      <Code
        block
      >{`npx waymark scan --service orders --spec openapi.yaml --api-url ${location.origin}`}</Code>
    </div>
  );
}

function ServiceTable({ services }: { services: readonly Service[] }) {
  const [text, setText] = useUrlState("q");
  const shown = services.filter((service) => service.name.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <TextInput
        label="Search"
        placeholder="Name of a service"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maw={320}
      />
      <Table.ScrollContainer minWidth={560}>
        <Table striped>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Service</Table.Th>
              <Table.Th>Last scan</Table.Th>
              <Table.Th ta="right">Endpoints</Table.Th>
              <Table.Th ta="right">Findings</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((service) => (
              <Table.Tr key={service.id}>
                <Table.Td className="breaks">
                  <Anchor component={Link} href={`/services/${service.id}`}>
                    {service.name}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  {service.currentScanRunId === null ? (
                    "–"
                  ) : (
                    <Anchor component={Link} href={`/scan-runs/${service.currentScanRunId}`}>
                      <Time at={service.lastScannedAt} />
                    </Anchor>
                  )}
                </Table.Td>
                <Table.Td ta="right">{service.endpointCount?.toLocaleString() ?? "–"}</Table.Td>
                <Table.Td ta="right">{service.findingCount?.toLocaleString() ?? "–"}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {shown.length === 0 && <Text role="status">No service has “{text}” in its name.</Text>}
    </>
  );
}
