// The product's key check, as the api does it for each request.
import { createKeyChecks } from "@waymark/server/api-keys/check-key.ts";
import { createPgPool } from "@waymark/server/db/pool.ts";
import { serveCalls } from "../support/calls.ts";
import { checkKeys } from "../support/check-keys.ts";

const pool = createPgPool(process.env["DATABASE_URL"] ?? "", {
  max: 10,
  applicationName: "bench-keys",
  onError: (error) => {
    throw error;
  },
});

const { checkApiKey } = createKeyChecks(pool);

serveCalls({
  ready: () => 0,
  check: ({ keys, concurrency, count }: { keys: string[]; concurrency: number; count: number }) =>
    checkKeys({ keys, concurrency, count }, async (key) => (await checkApiKey(key, "127.0.0.1")).ok),
});
