import { Group } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { useState } from "react";
import { LoadMore } from "../../lib/load-more.tsx";
import { Select } from "../../lib/select.tsx";
import { useServiceRuns } from "../../lib/use-service-runs.ts";
import { labelOf } from "../describe-changes.ts";

/** The number of runs that are offered for a comparison. Search finds the others. */
const OPTIONS_MAX = 200;

/** Returns the run that the server compares a run with. */
function describeBase({ promoted, source }: ScanRun): string {
  const branch = promoted ? null : (source?.baseBranch ?? null);
  return branch === null ? "The previous run" : `The last run of ${branch}, else the current run`;
}

/** The run to compare with: the previous one, or any other of the service. */
export function OtherRun(props: { run: ScanRun; against: string; onChoose: (id: string) => void }) {
  const { run, against, onChoose } = props;
  const [isOpened, setIsOpened] = useState(false);
  const runs = useServiceRuns(run.serviceId, { enabled: isOpened || against !== "" });
  const others = (runs.data ?? []).filter((other) => other.id !== run.id && other.status === "completed");
  const options = others.map((other) => ({ value: other.id, label: labelOf(other) }));
  // A link may refer to a run that isn't loaded yet.
  if (against !== "" && !others.some((other) => other.id === against))
    options.push({ value: against, label: `Run ${against}` });
  return (
    <Group align="end" gap="sm">
      <Select
        label="Compare with"
        placeholder={describeBase(run)}
        data={options}
        value={against === "" ? null : against}
        onChange={(next) => onChoose(next ?? "")}
        searchable={options.length > 10}
        clearable
        clearButtonProps={{ "aria-label": "Compare with the previous run" }}
        nothingFoundMessage={
          runs.isPending ? "Loading the runs…" : "No run matches this date, specification or count."
        }
        onDropdownOpen={() => setIsOpened(true)}
        limit={OPTIONS_MAX}
        w={420}
        maw="100%"
      />
      <LoadMore pages={runs} label="Load older runs" size="sm" />
    </Group>
  );
}
