import { applyLoad, type Server } from "../../support/load.ts";
import { checkIngest, type Product } from "../../support/product.ts";
import { encodeScans, type ScanBody } from "../../support/requests.ts";
import type { ServiceSet } from "../../support/services.ts";
import type { Figure } from "../../support/report.ts";
import { type Sample, type Samples, valuesOf } from "../../support/rounds.ts";
import { quantile } from "../../support/statistics.ts";

/** Sends new scans, as the command does, and waits until the last of them is persisted. */
export async function measurePersisting(
  product: Product,
  load: { server: Server; set: ServiceSet; connections: number; requests: number },
): Promise<Sample> {
  const bodies = encodeScans(load.requests, "command", () => load.set.next("new", { keeps: true }));
  const start = performance.now();
  const { latenciesMs } = await applyLoad(load.server, {
    ...load,
    body: (n) => bodies[n] as ScanBody,
    check: checkIngest,
  });
  await product.drained();
  return {
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
    perSecond: (load.requests / (performance.now() - start)) * 1000,
  };
}

/** The figures of all samples that `measurePersisting` made. */
export function figuresOf(samples: Samples): Figure[] {
  const measurements = [
    ["p50", "201, p50", "ms"],
    ["p99", "201, p99", "ms"],
    ["perSecond", "persisted", "1/s"],
  ] as const;
  return [...samples.keys()].flatMap((subject) =>
    measurements.map(([name, measurement, unit]) => ({
      subject,
      measurement,
      unit,
      values: valuesOf(samples, subject, name),
    })),
  );
}
