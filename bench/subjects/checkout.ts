// A checkout's product, started by that checkout's own code: in a process of its own, so that each side of a comparison
// has its own copy of every package.
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Client } from "pg";
import { serveCalls } from "../support/calls.ts";
import type { Environment } from "../support/environment.ts";
import type { MeasuredProcess } from "../support/measured-process.ts";
import type { Product, startProduct } from "../support/product.ts";

const { CHECKOUT = "", DATABASE_URL = "", REDIS_URL = "", LOG_FOLDER = "", PRODUCT_ENV = "{}" } = process.env;

const resources = new AsyncDisposableStack();
const environment: Environment = {
  logFolder: LOG_FOLDER,
  createDatabase: async () => DATABASE_URL,
  startRedis: async () => REDIS_URL,
  own: (resource) => resources.use(resource),
  [Symbol.asyncDispose]: () => resources.disposeAsync(),
};

interface ProductState {
  clearWaiting: (db: Client) => Promise<void>;
}

/** A product as checkouts had it before they had product-state.ts. */
type OlderProduct = Product & { server?: { port: number; headers: string } };

const { startProduct: start } = await load<{ startProduct: typeof startProduct }>("product.ts");
const product: OlderProduct = await start(environment, {
  name: "checkout",
  env: JSON.parse(PRODUCT_ENV) as Record<string, string>,
});
const state: ProductState = existsSync(fileOf("product-state.ts"))
  ? await load("product-state.ts")
  : { clearWaiting: async (db) => void (await db.query("TRUNCATE scan_payloads")) };
let worker: MeasuredProcess | undefined;

serveCalls({
  ready: () => 0,
  address: () => ({
    port: product.port ?? product.server?.port,
    apiKey: product.apiKey ?? /Bearer (\S+)/.exec(product.server?.headers ?? "")?.[1],
  }),
  drained: () => product.drained(),
  clearWaiting: () => state.clearWaiting(product.db),
  startWorker: async () => {
    worker = await product.startWorker();
  },
  stopWorker: () => worker?.[Symbol.asyncDispose](),
  resetPeaks: () => Promise.all([product.api.call("resetPeak"), worker?.call("resetPeak")]),
  peaks: async () => ({
    api: await product.api.call<number>("peakBytes"),
    worker: await worker?.call<number>("peakBytes"),
  }),
});

function fileOf(name: string): string {
  return path.join(CHECKOUT, "bench/support", name);
}

async function load<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(fileOf(name)).href)) as T;
}
