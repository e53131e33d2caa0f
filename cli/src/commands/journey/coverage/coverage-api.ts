import { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import { z } from "zod";
import { type ApiConnection, call } from "../../../api-client.ts";

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

const PAGE = "2000";

/** Reads the coverage with all pages of both lists. */
export async function readCloudCoverage(
  connection: ApiConnection,
  query: Readonly<Record<string, string | undefined>>,
): Promise<ShownCoverage> {
  const read = (cursor: Record<string, string>) => {
    const given = Object.entries({ ...query, limit: PAGE, ...cursor }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return call(connection, {
      what: "reading the coverage",
      method: "GET",
      path: `/api/journey-coverage?${new URLSearchParams(given).toString()}`,
      schema: ShownCoverage,
    });
  };
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
