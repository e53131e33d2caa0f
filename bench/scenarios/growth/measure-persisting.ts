import { applyLoad } from "../../support/load.ts";
import type { ScanBody } from "../../support/payloads.ts";
import { checkIngest, type Product } from "../../support/product.ts";
import type { Figure } from "../../support/report.ts";
import { type Sample, type Samples, valuesOf } from "../../support/rounds.ts";
import { quantile } from "../../support/statistics.ts";

/** Sends scans and waits until the last of them is persisted. */
export async function measurePersisting(
  product: Product,
  load: { connections: number; requests: number; body: (n: number) => ScanBody },
): Promise<Sample> {
  const start = performance.now();
  const { latenciesMs } = await applyLoad(product.server, { ...load, check: checkIngest("accepted") });
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
