import { createHash } from "node:crypto";
import { existsSync, statfsSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 3 * 1024 ** 3;

/**
 * Where the tests' Postgres has its files: in memory where there is enough, otherwise below .waymark/test. The tests make
 * and delete some hundred databases of 700 files. On ext4, which looks at all files deleted lately before it makes one,
 * a database then takes 0.6 s of processor time instead of 0.05 s.
 */
export function postgresFolder(): string {
  const checkout = createHash("sha256").update(root).digest("hex").slice(0, 12);
  return isLarge() ? path.join(MEMORY, `waymark-test-${checkout}`) : path.join(root, ".waymark/test");
}

function isLarge(): boolean {
  if (!existsSync(MEMORY) || process.availableMemory() < NEEDED_BYTES) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= NEEDED_BYTES;
}
