// The key check of better-auth's API key plugin on the same Postgres, called as its documentation shows.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Pool } from "pg";
import { serveCalls } from "../support/calls.ts";
import { checkKeys } from "../support/check-keys.ts";

const { resolve } = createRequire(path.join(process.env.PEER, "package.json"));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { betterAuth } = await load("better-auth");
const { getMigrations } = await load("better-auth/db/migration");
const { apiKey } = await load("@better-auth/api-key");

const options = {
  database: new Pool({ connectionString: process.env.DATABASE_URL, max: 10 }),
  secret: "a secret of the benchmark, used for nothing",
  baseURL: "http://127.0.0.1",
  emailAndPassword: { enabled: true },
  // Its limit of ten checks a day would refuse the benchmark.
  plugins: [apiKey({ rateLimit: { enabled: false } })],
  telemetry: { enabled: false },
};
const { runMigrations } = await getMigrations(options);
await runMigrations();
const auth = betterAuth(options);

const password = crypto.randomUUID();
const { user } = await auth.api.signUpEmail({
  body: { email: "bench@example.com", password, name: "bench" },
});
const keys = [];

serveCalls({
  ready: () => 0,
  createKeys: async (count) => {
    for (let n = 0; n < count; n++) {
      keys.push((await auth.api.createApiKey({ body: { userId: user.id, name: `key ${n}` } })).key);
    }
  },
  check: ({ concurrency, count }) =>
    checkKeys(
      { keys, concurrency, count },
      async (key) => (await auth.api.verifyApiKey({ body: { key } })).valid,
    ),
});
