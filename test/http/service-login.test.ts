import { createDatabaseCheck } from "@waymark/server/db/readiness.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { startService } from "@waymark/test-support/service-process.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database[Symbol.asyncDispose]());

// Roles belong to the whole server, which other tests use.
const LOGIN = `waymark_login_${process.pid}`;

async function check(url: string): Promise<{ state: string; excess?: string[] }> {
  const options = { onError: () => undefined, allowPrivilegedLogin: false, directExcess: [] };
  const one = await createDatabaseCheck(url, options);
  try {
    return await one.check();
  } finally {
    await one.close();
  }
}

describe("a login of the operator's own", () => {
  const own = () => Object.assign(new URL(database.databaseUrl), { username: LOGIN, password: "own" }).href;
  beforeAll(() => query(database, `CREATE ROLE ${LOGIN} LOGIN PASSWORD 'own' IN ROLE waymark_app`));
  afterAll(() => query(database, `DROP OWNED BY ${LOGIN}; DROP ROLE ${LOGIN}`));

  it("works if it is a member of the services' role only", async () => {
    expect(await check(own())).toEqual({ state: "ok" });
  });

  it.each<[string, string, string]>([
    ["superuser", "ALTER ROLE $ SUPERUSER", "ALTER ROLE $ NOSUPERUSER"],
    ["bypasses row-level security", "ALTER ROLE $ BYPASSRLS", "ALTER ROLE $ NOBYPASSRLS"],
    ["may create roles", "ALTER ROLE $ CREATEROLE", "ALTER ROLE $ NOCREATEROLE"],
    ["may create databases", "ALTER ROLE $ CREATEDB", "ALTER ROLE $ NOCREATEDB"],
    ["may replicate", "ALTER ROLE $ REPLICATION", "ALTER ROLE $ NOREPLICATION"],
    ...["pg_execute_server_program", "pg_write_server_files", "pg_read_server_files", "pg_read_all_data"].map(
      (role): [string, string, string] => [
        `member of ${role}`,
        `GRANT ${role} TO $`,
        `REVOKE ${role} FROM $`,
      ],
    ),
    [
      "member of pg_monitor",
      "ALTER ROLE $ NOINHERIT; GRANT pg_monitor TO $; ALTER ROLE $ INHERIT",
      "REVOKE pg_monitor FROM $",
    ],
    [
      "may create objects in the schema public",
      "GRANT CREATE ON SCHEMA public TO PUBLIC",
      "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    ],
    ["owner of objects", "CREATE TABLE own (); ALTER TABLE own OWNER TO $", "DROP TABLE own"],
  ])("keeps a process unready if it has more privileges: %s", async (reason, damage, repair) => {
    await query(database, damage.replaceAll("$", LOGIN));
    const { state, excess = [] } = await check(own());
    await query(database, repair.replaceAll("$", LOGIN));
    expect(state).toMatch(/has more privileges than the services' role\. Fix: .*npm run migrate/);
    expect(excess).toContain(reason);
    expect(await check(own())).toEqual({ state: "ok" });
  });

  it("is reported as refused, or the database as not migrated, with what to do", async () => {
    const wrong = Object.assign(new URL(own()), { password: "wrong" }).href;
    expect((await check(wrong)).state).toMatch(/Postgres refuses the login/);
    await using empty = await createTestDatabase({ migrated: false });
    expect((await check(serviceUrl(empty.databaseUrl))).state).toMatch(
      /never migrated\. Fix: npm run migrate/,
    );
  });
});

describe.each(["api", "worker"] as const)("the %s with the owner's login", (name) => {
  async function start(env: Record<string, string>) {
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
    const readyUrl = `http://127.0.0.1:${name === "api" ? port : metricsPort}/readyz`;
    const service = await startService(`services/${name}/src/main.ts`, {
      env: { DATABASE_URL: serviceUrl(database.databaseUrl), WORKER_ROLES: "scans", ...ports, ...env },
      isReady: async () => (await (await fetch(readyUrl)).text()).includes('"database"'),
    });
    const response = await fetch(readyUrl);
    const body = (await response.json()) as { checks: { database: string } };
    return { service, status: response.status, body };
  }

  it.each(["DATABASE_URL", "DATABASE_DIRECT_URL"])(
    "in %s is not ready, and says so and why",
    async (variable) => {
      const { service, status, body } = await start({ [variable]: database.databaseUrl });
      await using _ = service;
      expect(status).toBe(503);
      expect(body.checks.database).toMatch(/has more privileges than the services' role/);
      const lines = () =>
        service.logLines().filter((line) => line["msg"] === "not ready: the database can't be used");
      await expect.poll(lines).toMatchObject([
        {
          level: 50,
          excess: [
            "bypasses row-level security",
            "may create databases",
            "may create roles",
            "may replicate",
            "superuser",
          ],
        },
      ]);
      expect(service.output()).not.toContain(new URL(database.databaseUrl).password);
    },
  );

  it("is ready when the operator allows it, and the log warns about it", async () => {
    const env = { DATABASE_URL: database.databaseUrl, ALLOW_PRIVILEGED_DATABASE_LOGIN: "true" };
    const { service, status } = await start(env);
    await using _ = service;
    expect(status).toBe(200);
    const warnings = () => service.logLines().filter((line) => line["level"] === 40);
    await expect.poll(warnings).toHaveLength(1);
  });
});
