import { Alert, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { ApiError } from "../lib/api.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { CoverageFilters, useCoverageFilter } from "./coverage-filters.tsx";
import { CoverageTotals } from "./coverage-totals.tsx";
import { CriteriaSection } from "./criteria-section.tsx";
import { keyOfCriterion, keyOfOperation } from "./filter-coverage.ts";
import type { Coverage } from "./load-coverage.ts";
import { OperationsSection } from "./operations-section.tsx";
import { useCoverage, useCoverageShares } from "./use-coverage.ts";

export default function CoveragePage() {
  const filter = useCoverageFilter();
  const coverage = useCoverage(filter);
  const isTooLarge = coverage.isLoadingError && filter.serviceId === "" && asksForService(coverage.error);
  const shares = useCoverageShares(filter, { isAsked: isTooLarge });
  return (
    <Stack>
      <div>
        <Title order={1}>Coverage</Title>
        <Text size="sm" c="dimmed">
          What runs of the newest versions proved and called.
        </Text>
      </div>
      <CoverageFilters filter={filter} />
      {coverage.isPending && <Skeleton height={640} aria-label="Loading the coverage" />}
      {shares !== undefined && <CoverageTotals shares={shares} />}
      {coverage.isLoadingError &&
        (isTooLarge ? (
          <Alert color="gray" role="status" title="Choose a service to see the lists">
            All services together have too many endpoints for one list.
          </Alert>
        ) : (
          <ErrorAlert error={coverage.error} onRetry={() => void coverage.refetch()} />
        ))}
      {coverage.data !== undefined && <Tables coverage={coverage.data} />}
    </Stack>
  );
}

/** True if the api asks for a service, or refuses the one that was named. */
function asksForService(error: Error): boolean {
  return error instanceof ApiError && error.details.some(({ path }) => path === "serviceId");
}

/** Both tables. What is selected in one of them limits the other. */
function Tables({ coverage }: { coverage: Coverage }) {
  const { shares, criteria, operations } = coverage;
  const [criterionKey, setCriterion] = useUrlState("criterion");
  const [operationKey, setOperation] = useUrlState("operation");
  const criterion = useMemo(
    () => criteria.find((one) => keyOfCriterion(one) === criterionKey),
    [criteria, criterionKey],
  );
  const operation = useMemo(
    () => operations.find((one) => keyOfOperation(one) === operationKey),
    [operations, operationKey],
  );
  const selectCriterion = (key: string) => {
    setOperation("");
    setCriterion(key === criterionKey ? "" : key);
  };
  const selectOperation = (key: string) => {
    setCriterion("");
    setOperation(key === operationKey ? "" : key);
  };
  return (
    <>
      <CoverageTotals shares={shares} />
      <CriteriaSection
        criteria={criteria}
        selected={criterion}
        onSelect={selectCriterion}
        of={operation}
        onClear={() => setOperation("")}
      />
      <OperationsSection
        operations={operations}
        selected={operation}
        onSelect={selectOperation}
        of={criterion}
        onClear={() => setCriterion("")}
      />
    </>
  );
}
