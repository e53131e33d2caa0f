import { Alert, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getScanGates } from "@waymark/shared/scans/gates/addresses.ts";
import { type RunGate, ScanGatesOfRun } from "@waymark/shared/scans/gates/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { callApi } from "../lib/api.ts";
import { countOf } from "../lib/count-of.ts";
import { LOCALE } from "../lib/locale.ts";
import { useMay } from "../lib/use-session.ts";

/** Shows the gates that failed in the pipeline of a run, and why. */
export function FailedGates({ run }: { run: ScanRun }) {
  const failed = (run.gates ?? []).filter(({ passed }) => !passed);
  const mayRead = useMay("endpoints:read");
  const { data } = useQuery({
    queryKey: ["scan-run", run.id, "gates"],
    queryFn: ({ signal }) =>
      callApi(getScanGates, { params: { scanRunId: run.id } }, { signal, read: ScanGatesOfRun }),
    enabled: mayRead && failed.length > 0,
  });
  if (failed.length === 0) return null;
  const causes = new Map(data?.verdict?.gates.map((gate) => [gate.gate, gate.causes]));
  return (
    <Alert color="red" title={`Failed ${countOf(failed.length, "gates")}`} role="status">
      <Stack gap="xs">
        {failed.map((gate) => (
          <FailedGate key={gate.gate} gate={gate} causes={causes.get(gate.gate) ?? []} />
        ))}
      </Stack>
    </Alert>
  );
}

function FailedGate({ gate: { gate, causeCount }, causes }: { gate: RunGate; causes: readonly string[] }) {
  const more = causeCount - causes.length;
  return (
    <div>
      <Text size="sm" fw={600} className="breaks">
        {gate}
      </Text>
      {causes.length > 0 && (
        <List size="sm" className="breaks">
          {causes.map((cause, index) => (
            <List.Item key={`${index} ${cause}`}>{cause}</List.Item>
          ))}
        </List>
      )}
      {more > 0 && (
        <Text size="sm">
          {causes.length > 0 ? `… and ${more.toLocaleString(LOCALE)} more` : countOf(more, "causes")}
        </Text>
      )}
    </div>
  );
}
