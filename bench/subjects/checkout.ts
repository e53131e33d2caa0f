// Another checkout's product, started by that checkout's own code: in a process of its own, so that both have their own
// copy of every package.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { serveCalls } from "../support/calls.ts";
import type { Environment } from "../support/environment.ts";
import type { MeasuredProcess } from "../support/measured-process.ts";
import type { Product, startProduct } from "../support/product.ts";

const { CHECKOUT = "", DATABASE_URL = "", REDIS_URL = "", LOG_FOLDER = "" } = process.env;

const resources = new AsyncDisposableStack();
const environment: Environment = {
  logFolder: LOG_FOLDER,
  createDatabase: async () => DATABASE_URL,
  startRedis: async () => REDIS_URL,
  own: (resource) => resources.use(resource),
  [Symbol.asyncDispose]: () => resources.disposeAsync(),
};
const module = (await import(pathToFileURL(path.join(CHECKOUT, "bench/support/product.ts")).href)) as {
  startProduct: typeof startProduct;
};
const product: Product = await module.startProduct(environment, { name: "before" });
let worker: MeasuredProcess | undefined;

serveCalls({
  ready: () => 0,
  server: () => product.server,
  drained: () => product.drained(),
  startWorker: async () => {
    worker = await product.startWorker();
  },
  stopWorker: () => worker?.[Symbol.asyncDispose](),
});
