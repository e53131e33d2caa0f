import { measureConnections } from "./growth/connections.ts";
import { measureItems } from "./growth/items.ts";
import { measureOrganizations } from "./growth/organizations.ts";
import { measureStoredRows } from "./growth/stored-rows.ts";
import { measureWorkers } from "./growth/workers.ts";
import type { Figure } from "../support/report.ts";
import type { Scenario } from "../support/scenario.ts";

/** How the cost grows: with items, connections, workers, organizations and with what is stored already. No targets. */
export const measureGrowth: Scenario = async (environment, options) => {
  const figures: Figure[] = [];
  for (const measure of [
    measureItems,
    measureConnections,
    measureWorkers,
    measureOrganizations,
    measureStoredRows,
  ]) {
    figures.push(...(await measure(environment, options)));
  }
  return { scenario: "growth", figures, findings: [] };
};
