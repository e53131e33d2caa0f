// Draws docs/flame-api.svg and docs/flame-worker.svg: where api and worker spend their time on new scans, typical and
// max by turns. `node bench/flame-graphs.ts`
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "../scripts/bootstrap/checkout.mjs";
import { startEnvironment } from "./support/environment.ts";
import { type CpuProfile, drawFlameGraph } from "./support/flame-graph.ts";
import { applyLoad } from "./support/load.ts";
import type { MeasuredProcess } from "./support/measured-process.ts";
import { createBodies, MAX, TYPICAL } from "./support/payloads.ts";
import { checkIngest, startProduct } from "./support/product.ts";
import { createServices, SERVICES } from "./support/seed.ts";

/** One max scan for so many typical ones: about the same number of bytes of each. */
const TYPICAL_PER_MAX = 18;
const REQUESTS = 1_500;

const environment = await startEnvironment();
try {
  const product = await startProduct(environment, { name: "flame" });
  await createServices(product);
  const worker = environment.own(await product.startWorker());
  const [max, typical] = [createBodies(MAX), createBodies(TYPICAL)];
  let content = 0;
  const send = async () => {
    await applyLoad(product.server, {
      connections: 8,
      requests: REQUESTS,
      body: (n) => (n % TYPICAL_PER_MAX === 0 ? max : typical)(content++, content % SERVICES),
      check: checkIngest("accepted"),
    });
    await product.drained();
  };
  await send();
  const profiled = { api: product.api, worker };
  await Promise.all(Object.values(profiled).map((process) => process.call("startProfile")));
  await send();
  for (const [name, process] of Object.entries(profiled)) await draw(name, process);
} finally {
  await environment[Symbol.asyncDispose]();
}
process.exit(0);

async function draw(name: string, measured: MeasuredProcess): Promise<void> {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "waymark-profile-")), "profile.json");
  await measured.call("stopProfile", file);
  const profile = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  writeFileSync(
    path.join(root, `docs/flame-${name}.svg`),
    drawFlameGraph(profile, `${name}: new scans, typical and max`),
  );
}
