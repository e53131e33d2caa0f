import { createOrganization } from "@waymark/test-support/stack.ts";
import type { Environment } from "../../support/environment.ts";
import { applyLoad } from "../../support/load.ts";
import { TYPICAL } from "../../support/payloads.ts";
import { checkIngest, startProduct } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { encodeScans, type ScanBody } from "../../support/requests.ts";
import { runRounds } from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { boundServer } from "../../support/service-keys.ts";
import { createServiceSet } from "../../support/services.ts";
import { quantile } from "../../support/statistics.ts";
import { figuresOf } from "./measure-persisting.ts";

const ORGANIZATIONS = [1, 4, 16] as const;
const REQUESTS = 384;
/** In all; each organization has its share of them. */
const CONNECTIONS = 16;
const SERVICES_EACH = 10;

/** The same scans from ever more organizations: each batch is of one of them. */
export async function measureOrganizations(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_organizations" });
  environment.own(await product.startWorker());
  const set = createServiceSet(TYPICAL, SERVICES_EACH);
  const servers = [await boundServer(product, set.names)];
  while (servers.length < Math.max(...ORGANIZATIONS)) {
    const { apiKey } = await createOrganization(product.databaseUrl, `Organization ${servers.length}`);
    servers.push(await boundServer({ port: product.port, apiKey }, set.names));
  }
  process.stderr.write("  organizations:");
  const samples = await runRounds(
    ORGANIZATIONS.map((count) => ({
      name: `typical, ${count} organizations`,
      async measure() {
        const bodies = encodeScans(REQUESTS, "command", () => set.next("new", { keeps: true }));
        const start = performance.now();
        const results = await Promise.all(
          servers.slice(0, count).map((server, organization) =>
            applyLoad(server, {
              connections: CONNECTIONS / count,
              requests: REQUESTS / count,
              body: (n) => bodies[n * count + organization] as ScanBody,
              check: checkIngest,
            }),
          ),
        );
        await product.drained();
        const latencies = results.flatMap(({ latenciesMs }) => latenciesMs);
        return {
          p50: quantile(latencies, 0.5),
          p99: quantile(latencies, 0.99),
          perSecond: (REQUESTS / (performance.now() - start)) * 1000,
        };
      },
    })),
    rounds,
  );
  return figuresOf(samples);
}
