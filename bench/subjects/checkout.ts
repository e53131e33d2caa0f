// A checkout's product, started by that checkout's own code: in a process of its own, so that each side of a comparison
// has its own copy of every package.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { serveCalls } from "../support/calls.ts";
import type { Environment } from "../support/environment.ts";
import type { MeasuredProcess } from "../support/measured-process.ts";
import type { startProduct } from "../support/product.ts";
import type { clearWaiting } from "../support/product-state.ts";

const { CHECKOUT = "", DATABASE_URL = "", REDIS_URL = "", LOG_FOLDER = "" } = process.env;

const resources = new AsyncDisposableStack();
const environment: Environment = {
  logFolder: LOG_FOLDER,
  createDatabase: async () => DATABASE_URL,
  startRedis: async () => REDIS_URL,
  own: (resource) => resources.use(resource),
  [Symbol.asyncDispose]: () => resources.disposeAsync(),
};

const { startProduct: start } = await load<{ startProduct: typeof startProduct }>("product.ts");
const product = await start(environment, { name: "checkout" });
const state = await load<{ clearWaiting: typeof clearWaiting }>("product-state.ts");
let worker: MeasuredProcess | undefined;

serveCalls({
  ready: () => 0,
  address: () => ({ port: product.port, apiKey: product.apiKey }),
  drained: () => product.drained(),
  clearWaiting: () => state.clearWaiting(product.db),
  startWorker: async () => {
    worker = await product.startWorker();
  },
  stopWorker: () => worker?.[Symbol.asyncDispose](),
});

async function load<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(path.join(CHECKOUT, "bench/support", name)).href)) as T;
}
