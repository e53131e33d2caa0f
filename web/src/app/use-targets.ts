import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import type { Team } from "@waymark/shared/principals/teams/schema.ts";
import type { FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type { SavedView } from "@waymark/shared/saved-views/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useMemo } from "react";
import { useApiKeys } from "../api-keys/use-api-keys.ts";
import { useEndpointSearch } from "../endpoint-search/use-endpoint-search.ts";
import { useEnvironments } from "../environments/use-environments.ts";
import { useJourneys } from "../journeys/use-journeys.ts";
import { NOBODY } from "../lib/permissions.ts";
import { usePrincipals } from "../lib/use-principals.ts";
import { useMay, useSession } from "../lib/use-session.ts";
import { useSavedViews } from "../lib/saved-views/use-saved-views.ts";
import { addressOfView } from "../lib/saved-views/view-address.ts";
import { useTeams } from "../lib/use-teams.ts";
import { NO_FILTER } from "../scans/current-findings/api-queries.ts";
import { useFindingSummary } from "../scans/current-findings/use-current-findings.ts";
import { useServices } from "../services/use-services.ts";
import { findTargets, type Target } from "./find-targets.ts";

const KINDS = { user: "person", service_account: "service account" } as const;

interface Progress {
  /** False while there may be more to come. */
  isComplete: boolean;
  /** True if a list could not be loaded, or has only its first items. */
  isPartial: boolean;
}

/** Returns where the text leads, and whether all of it is known. Lists are loaded when there is a text. */
export function useTargets(text: string): Progress & { targets: Target[] } {
  const { data: session } = useSession();
  const endpoints = useEndpointSearch(text);
  const { lists, isComplete, isPartial } = useNamed(text.trim() !== "");
  // Enter must not open an endpoint that an earlier text has found.
  const found = endpoints.isOfText ? endpoints.data?.endpoints : undefined;
  const targets = findTargets(text, { lists, endpoints: found ?? [], session: session ?? NOBODY });
  return {
    targets,
    isComplete: isComplete && endpoints.isOfText && !endpoints.isFetching,
    isPartial: isPartial || endpoints.isError,
  };
}

/** Everything of each kind that has a name, as far as the session may read it. */
function useNamed(isWanted: boolean): Progress & { lists: readonly (readonly Target[])[] } {
  const services = useServices();
  const journeys = useJourneys({ enabled: useMay("journeys:read") && isWanted });
  const environments = useEnvironments({ enabled: useMay("environments:read") && isWanted });
  const findings = useFindingSummary(NO_FILTER, { enabled: useMay("endpoints:read") && isWanted });
  const views = useSavedViews(isWanted);
  const teams = useTeams(useMay("services:read") && isWanted);
  const people = usePrincipals({ enabled: useMay("principals:read") && isWanted });
  const keys = useApiKeys({ enabled: useMay("api-keys:read") && isWanted });
  const all = [services, views, journeys, environments, findings, teams, people, keys];
  const lists = [
    useTargetsOf(services.data, ofService),
    useTargetsOf(views.data, ofView),
    useTargetsOf(journeys.data, ofJourney),
    useTargetsOf(environments.data, ofEnvironment),
    useTargetsOf(findings.data?.rules, ofRule),
    useTargetsOf(teams.data?.teams, ofTeam),
    useTargetsOf(people.data, ofPerson),
    useTargetsOf(keys.data, ofKey),
  ];
  const { rules = [], ruleCount = 0 } = findings.data ?? {};
  return {
    lists,
    isComplete: all.every(({ isLoading }) => !isLoading),
    isPartial: all.some(({ isLoadingError }) => isLoadingError) || ruleCount > rules.length,
  };
}

/** Maps a list once. */
function useTargetsOf<Item>(items: readonly Item[] | undefined, targetOf: (item: Item) => Target): Target[] {
  return useMemo(() => (items ?? []).map(targetOf), [items, targetOf]);
}

const ofService = ({ id, name }: Pick<Service, "id" | "name">): Target => ({
  label: name,
  kind: "service",
  href: `/services/${id}`,
});
const ofView = (view: SavedView): Target => ({
  label: view.name,
  kind: view.team === null ? "view" : `view of ${view.team.displayName}`,
  href: addressOfView(view),
});
const ofJourney = ({ id, title, path }: JourneyDocument): Target => ({
  label: title ?? path,
  alias: path,
  kind: "journey",
  href: `/journeys/${id}`,
});
const ofEnvironment = ({ id, name }: Environment): Target => ({
  label: name,
  kind: "environment",
  href: `/environments/${id}`,
});
const ofRule = ({ code }: FindingSummary["rules"][number]): Target => ({
  label: code,
  kind: "rule",
  href: `/findings?${new URLSearchParams({ code })}`,
});
const ofTeam = ({ id, displayName, slug }: Team): Target => ({
  label: displayName,
  alias: slug,
  kind: "team",
  href: `/teams/${id}`,
});
const ofPerson = ({ id, type, displayName, email }: Principal): Target => ({
  label: displayName,
  ...(email !== null && { alias: email }),
  kind: KINDS[type],
  href: `/people/${id}`,
});
const ofKey = ({ id, name, prefix }: ApiKey): Target => ({
  label: name,
  alias: prefix,
  kind: "key",
  href: `/api-keys?key=${id}`,
});
