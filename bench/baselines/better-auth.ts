// The key check of better-auth's API key plugin on the same Postgres, called as its documentation shows.
import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { Pool } from "pg";
import { serveCalls } from "../support/calls.ts";
import { checkKeys } from "../support/check-keys.ts";

const options = {
  database: new Pool({ connectionString: process.env["DATABASE_URL"], max: 10 }),
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

async function createKeys(count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    keys.push((await auth.api.createApiKey({ body: { userId: user.id, name: `key ${n}` } })).key);
  }
  return keys;
}
let keys: string[] = [];

serveCalls({
  ready: () => 0,
  createKeys: async (count: number) => {
    keys = await createKeys(count);
  },
  check: ({ concurrency, count }: { concurrency: number; count: number }) =>
    checkKeys(
      { keys, concurrency, count },
      async (key) => (await auth.api.verifyApiKey({ body: { key } })).valid,
    ),
});
