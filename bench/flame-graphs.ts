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
import { MAX, TYPICAL } from "./support/payloads.ts";
import { checkIngest, startProduct } from "./support/product.ts";
import { encodeScans, type ScanBody } from "./support/requests.ts";
import { boundServer } from "./support/service-keys.ts";
import { createServiceSet } from "./support/services.ts";

/** One max scan for so many typical ones: about the same number of bytes of each. */
const TYPICAL_PER_MAX = 18;
const REQUESTS = 1_500;
const SERVICES = 500;

const environment = await startEnvironment();
try {
  const product = await startProduct(environment, { name: "flame" });
  const [max, typical] = [createServiceSet(MAX, SERVICES), createServiceSet(TYPICAL, SERVICES)];
  const server = await boundServer(product, [...max.names, ...typical.names]);
  const worker = environment.own(await product.startWorker());
  const send = async () => {
    let sent = 0;
    const next = () => (sent++ % TYPICAL_PER_MAX === 0 ? max : typical).next("new", { keeps: true });
    const bodies = encodeScans(REQUESTS, "command", next);
    await applyLoad(server, {
      connections: 8,
      requests: REQUESTS,
      body: (n) => bodies[n] as ScanBody,
      check: checkIngest,
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
