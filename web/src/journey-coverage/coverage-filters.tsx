import { ChoiceFilter, FilterRow } from "../lib/filters.tsx";
import { type Choice, useEnvironmentChoices, useServiceChoices } from "../lib/use-choices.ts";
import { onlyEnvironmentOf, onlyServiceOf } from "../lib/permissions.ts";
import { SavedViewsMenu } from "../lib/saved-views/saved-views-menu.tsx";
import { useSession } from "../lib/use-session.ts";
import { Select } from "../lib/select.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { type CoverageFilter, DEFAULT_WINDOW } from "./api-queries.ts";

const WINDOWS = ["7", "30", "90", "400"].map((days) => ({ value: days, label: `${days} days` }));
const ORIGINS = [
  { value: "cloud", label: "cloud runner" },
  { value: "uploaded", label: "uploaded" },
];

/** The filter of the address. A key that is limited to a service or an environment sees only that one. */
export function useCoverageFilter(): CoverageFilter {
  const { data: session } = useSession();
  const [serviceId] = useUrlState("service");
  const [environmentId] = useUrlState("environment");
  const [origin] = useUrlState("origin");
  const [window] = useUrlState("window");
  const scoped = session ?? { scopes: [] };
  return {
    serviceId: serviceId === "" ? (onlyServiceOf(scoped) ?? "") : serviceId,
    environmentId: environmentId === "" ? (onlyEnvironmentOf(scoped, "journeys:read") ?? "") : environmentId,
    origin,
    window: window === "" ? DEFAULT_WINDOW : window,
  };
}

export function CoverageFilters({ filter }: { filter: CoverageFilter }) {
  const [, setService] = useUrlState("service");
  const [, setEnvironment] = useUrlState("environment");
  const [, setOrigin] = useUrlState("origin");
  const [, setWindow] = useUrlState("window");
  return (
    <FilterRow actions={<SavedViewsMenu />}>
      <ChoiceFilter
        label="Service"
        value={filter.serviceId}
        values={useServiceChoices().map(toOption)}
        onChange={setService}
      />
      <ChoiceFilter
        label="Environment"
        value={filter.environmentId}
        values={useEnvironmentChoices().map(toOption)}
        onChange={setEnvironment}
      />
      <ChoiceFilter label="Run by" value={filter.origin} values={ORIGINS} onChange={setOrigin} />
      <Select
        label="Runs of the last"
        data={WINDOWS}
        value={filter.window}
        onChange={(next) => setWindow(next === null || next === DEFAULT_WINDOW ? "" : next)}
        allowDeselect={false}
        w="9rem"
      />
    </FilterRow>
  );
}

function toOption({ id, name }: Choice): { value: string; label: string } {
  return { value: id, label: name };
}
