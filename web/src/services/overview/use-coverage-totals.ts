import { useQuery } from "@tanstack/react-query";
import { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import { readQuery } from "../../lib/read-query.ts";
import { useSession } from "../../lib/use-session.ts";
import { COVERAGE_TOTALS, mayReadCoverage } from "../api-queries.ts";

/** The shares of the coverage page without its lists, if the session may read them. @param isShown false: nothing is asked */
export function useCoverageTotals(isShown: boolean) {
  const { data: session } = useSession();
  const isAsked = isShown && session !== null && session !== undefined && mayReadCoverage(session);
  const { data, isPending } = useQuery({ ...readQuery(COVERAGE_TOTALS, JourneyCoverage), enabled: isAsked });
  return { data, isPending, isAsked };
}
