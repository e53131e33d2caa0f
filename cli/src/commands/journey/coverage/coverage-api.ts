import { getJourneyCoverage } from "@waymark/shared/journey-coverage/operations.ts";
import { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import { ITEM_PAGE_LIMIT_MAX } from "@waymark/shared/scans/item-page-query.ts";
import type { PartsOf } from "@waymark/shared/operations/request.ts";
import { z } from "zod";
import { type ApiConnection, call } from "../../../api/api-client.ts";

// States that a newer server may have besides are shown as they are.
const state = z.string();

/** The fields of the coverage that the command shows. */
const ShownCoverage = z.object({
  ...JourneyCoverage.pick({ windowDays: true, since: true, shares: true, criteriaCursor: true }).shape,
  ...JourneyCoverage.pick({ operationsCursor: true, notInInventoryCount: true }).shape,
  criteria: z.array(JourneyCoverage.shape.criteria.element.extend({ state })),
  operations: z.array(JourneyCoverage.shape.operations.element.extend({ state })),
});
export type ShownCoverage = Omit<z.infer<typeof ShownCoverage>, "criteriaCursor" | "operationsCursor">;

type CoverageQuery = PartsOf<typeof getJourneyCoverage>["query"];

/** Reads the coverage with all pages of both lists. */
export async function readCloudCoverage(
  connection: ApiConnection,
  query: CoverageQuery,
): Promise<ShownCoverage> {
  const reading = { what: "reading the coverage", read: ShownCoverage };
  const read = (cursor: CoverageQuery) =>
    call(connection, getJourneyCoverage, reading, {
      query: { ...query, limit: ITEM_PAGE_LIMIT_MAX, ...cursor },
    });
  const { criteriaCursor, operationsCursor, ...coverage } = await read({});
  for (let cursor = criteriaCursor; cursor !== undefined;) {
    const page = await read({ criteriaCursor: cursor });
    coverage.criteria.push(...page.criteria);
    cursor = page.criteriaCursor;
  }
  for (let cursor = operationsCursor; cursor !== undefined;) {
    const page = await read({ operationsCursor: cursor });
    coverage.operations.push(...page.operations);
    cursor = page.operationsCursor;
  }
  return coverage;
}
