import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { excessPrivilegesSql } from "@waymark/server/db/roles/excess-privileges.ts";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { type RunningPostgres, startPostgres } from "../../scripts/postgres/start-postgres.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startApi, startWorker } from "@waymark/test-support/stack.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { databaseUrl } from "@waymark/test-support/template-database.ts";

/** Roles belong to a whole server, and these tests change them, so they have their own server. */
let folder: string;
let postgres: RunningPostgres;
let databases = 0;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "waymark-login-"));
  chmodSync(folder, 0o755);
  const settings = { log_statement: "all", log_min_duration_statement: "0", fsync: "off" };
  postgres = await startPostgres({ folder, port: await findFreePort(), settings });
});
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function createDatabase(owner = "postgres"): Promise<string> {
  const name = `login_${++databases}`;
  await query(postgres, `CREATE DATABASE ${name} OWNER ${owner}`);
  return databaseUrl(postgres.databaseUrl, name);
}

function withLogin(url: string, username: string, password: string): string {
  return Object.assign(new URL(url), { username, password }).href;
}

/** The real command. */
function migrate(ownerUrl: string, service?: string): Promise<string> {
  const env = { DATABASE_URL: ownerUrl, ...(service === undefined ? {} : { SERVICE_DATABASE_URL: service }) };
  return runNode(["services/api/src/migrate.ts"], env);
}

async function tryStatement(url: string, ...statements: string[]): Promise<string> {
  const client = new Client(url);
  await client.connect();
  try {
    for (const text of statements) await client.query(text);
    return "done";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end();
  }
}

async function excessOf(ownerUrl: string, login: string): Promise<string[]> {
  const rows = await query<{ reason: string }>({ databaseUrl: ownerUrl }, excessPrivilegesSql("$1::name"), [
    login,
  ]);
  return rows.map((row) => row.reason);
}

/** Every privilege in the database, as Postgres shows it. */
async function privileges(ownerUrl: string): Promise<unknown[]> {
  return query(
    { databaseUrl: ownerUrl },
    `SELECT oid::regclass::text AS name, (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(relacl) a) AS acl FROM pg_class
     WHERE relnamespace IN ('public'::regnamespace, 'bullmq'::regnamespace) AND relkind IN ('r', 'S')
     UNION ALL
     SELECT attrelid::regclass || '.' || attname, attacl::text[] FROM pg_attribute WHERE attacl IS NOT NULL
     UNION ALL
     SELECT oid::regprocedure::text, (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(proacl) a) FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND prosecdef
     ORDER BY 1`,
  );
}

describe("the services' login", { timeout: 300_000 }, () => {
  it("is created by migrate and has only the privileges of the services' role", async () => {
    const owner = await createDatabase();
    const service = withLogin(owner, "first_service", "a password that nobody sees");
    expect(await migrate(owner, service)).toContain("The login for api and worker is first_service.");
    await query({ databaseUrl: owner }, "INSERT INTO organizations VALUES (gen_random_uuid(), 'Other')");

    for (const statement of [
      "COPY (SELECT 1) TO PROGRAM 'true'",
      "COPY organizations FROM PROGRAM 'true'",
      "COPY organizations TO '/tmp/waymark-copy'",
      "DROP TABLE scan_runs",
      "ALTER TABLE api_keys DISABLE ROW LEVEL SECURITY",
      "SELECT FROM pg_authid",
      "CREATE ROLE other",
      "CREATE TABLE public.own ()",
      "ALTER SYSTEM SET log_statement = 'none'",
      "SET ROLE postgres",
      "SET SESSION AUTHORIZATION postgres",
      "SELECT pg_read_file('/etc/passwd')",
    ]) {
      expect(await tryStatement(service, "RESET ROLE", "SET ROLE NONE", statement)).toMatch(
        /permission denied|must be (owner|superuser)/,
      );
    }
    const seen = await query({ databaseUrl: service }, "SELECT FROM organizations");
    expect(seen).toEqual([]);
    expect(await excessOf(owner, "first_service")).toEqual([]);
  });

  it("has a password that the server never saw in plain text", async () => {
    const owner = await createDatabase();
    const password = "tell-nobody-4711";
    await migrate(owner, withLogin(owner, "quiet_service", password));
    expect(await tryStatement(withLogin(owner, "quiet_service", password), "SELECT 1")).toBe("done");
    const log = readFileSync(path.join(folder, "postgres.log"), "utf8");
    expect(log).toContain('CREATE ROLE "quiet_service"');
    expect(log).not.toContain(password);
  });

  it("is repaired by every migrate: attributes, memberships, password, and the role's privileges", async () => {
    const owner = await createDatabase();
    const before = withLogin(owner, "drifting_service", "first");
    await migrate(owner, before);
    const right = await privileges(owner);
    await query(
      { databaseUrl: owner },
      `ALTER ROLE drifting_service SUPERUSER CREATEROLE CREATEDB BYPASSRLS REPLICATION NOINHERIT;
       GRANT pg_execute_server_program, pg_read_all_data TO drifting_service;
       GRANT pg_write_server_files TO waymark_app;
       GRANT DELETE, UPDATE ON audit_events TO waymark_app;
       GRANT UPDATE (scopes) ON api_keys TO waymark_app;
       REVOKE INSERT ON scan_payloads FROM waymark_app;
       GRANT EXECUTE ON FUNCTION find_api_keys(text[]) TO PUBLIC;
       GRANT DELETE ON audit_events TO drifting_service;
       GRANT UPDATE (scopes) ON api_keys TO drifting_service;
       GRANT INSERT ON snapshots TO PUBLIC;
       GRANT EXECUTE ON FUNCTION current_organization_id() TO drifting_service`,
    );
    expect((await excessOf(owner, "drifting_service")).length).toBeGreaterThan(0);

    const after = withLogin(owner, "drifting_service", "second");
    await migrate(owner, after);
    expect(await excessOf(owner, "drifting_service")).toEqual([]);
    expect(await excessOf(owner, "waymark_app")).toEqual([]);
    expect(await privileges(owner)).toEqual(right);
    expect(await tryStatement(after, "SELECT FROM scan_runs")).toBe("done");
    await expect(tryStatement(before, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  });

  // pg_upgrade and a dump keep the privileges that PUBLIC had until Postgres 15.
  it("can't create functions that the owner's functions would call, in a database created on Postgres 14", async () => {
    const owner = await createDatabase();
    const service = withLogin(owner, "upgraded_service", "upgraded");
    const organizationId = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
    const takeOver = [
      // Matches better than Postgres' own, which accepts any array.
      `CREATE FUNCTION public.cardinality(uuid[]) RETURNS integer LANGUAGE plpgsql AS
         $$ BEGIN EXECUTE 'ALTER ROLE upgraded_service SUPERUSER'; RETURN 0; END $$`,
      `SELECT set_config('waymark.organization_id', '${organizationId}', false)`,
      `SELECT collect_snapshots('${organizationId}', 1)`,
    ];
    await query({ databaseUrl: owner }, "GRANT CREATE ON SCHEMA public TO PUBLIC");
    await migrate(owner, service);
    expect(await tryStatement(service, ...takeOver)).toMatch(/permission denied for schema public/);
    for (const grantee of ["PUBLIC", "upgraded_service", "waymark_app"]) {
      await query({ databaseUrl: owner }, `GRANT CREATE ON SCHEMA public TO ${grantee}`);
      expect(await excessOf(owner, "upgraded_service")).toEqual(["may create objects in the schema public"]);
      await migrate(owner, service);
      expect(await excessOf(owner, "upgraded_service")).toEqual([]);
    }
  });

  it("is restored, with role and privileges, on a server with a dump without them", async () => {
    const owner = await createDatabase();
    const service = serviceUrl(owner);
    await migrate(owner, service);
    const right = await privileges(owner);
    await query({ databaseUrl: owner }, "DROP OWNED BY waymark_app");
    await query({ databaseUrl: owner }, "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC");
    // Databases of the tests above prevent dropping the role.
    for (let n = 1; n < databases; n++) await query(postgres, `DROP DATABASE login_${n} WITH (FORCE)`);
    await query({ databaseUrl: owner }, "DROP ROLE waymark_test_service, waymark_app");

    expect(await migrate(owner, service)).toContain("The database is up to date.");
    expect(await privileges(owner)).toEqual(right);
    await using api = await startApi({ databaseUrl: owner });
    await using worker = await startWorker({ databaseUrl: owner });
    await expect.poll(async () => (await fetch(`${api.baseUrl}/readyz`)).status).toBe(200);
    expect(worker.output()).not.toContain("not ready");
  });

  it("that made a large object is refused with what to do, and works again after that", async () => {
    const owner = await createDatabase();
    const service = withLogin(owner, "large_service", "large");
    await migrate(owner, service);
    expect(await tryStatement(service, "SELECT lo_create(0)")).toBe("done");
    await expect(migrate(owner, service)).rejects.toThrow(
      new RegExp(
        `large_service of SERVICE_DATABASE_URL owns objects \\(large objects in login_${databases}\\).* DROP OWNED BY "large_service"`,
      ),
    );
    await query({ databaseUrl: owner }, 'DROP OWNED BY "large_service"');
    await migrate(owner, service);
    expect(await excessOf(owner, "large_service")).toEqual([]);
  });

  it("is created by several concurrent migrations of one server", async () => {
    const owners = await Promise.all([createDatabase(), createDatabase(), createDatabase()]);
    await Promise.all(owners.map((owner) => migrate(owner, serviceUrl(owner))));
    await Promise.all(owners.map((owner) => migrate(owner, serviceUrl(owner))));
    for (const owner of owners)
      expect(await tryStatement(serviceUrl(owner), "SELECT FROM scan_runs")).toBe("done");
  });
});

describe("a migrating login that is not a superuser", { timeout: 300_000 }, () => {
  it("creates role and login with CREATEROLE, and repairs them", async () => {
    await query(
      postgres,
      "CREATE ROLE managed LOGIN PASSWORD 'managed' CREATEROLE; GRANT waymark_app TO managed WITH ADMIN TRUE, SET FALSE",
    );
    const owner = withLogin(await createDatabase("managed"), "managed", "managed");
    const service = withLogin(owner, "managed_service", "one");
    await migrate(owner, service);
    expect(await tryStatement(owner, "SET ROLE waymark_app")).toBe("done");
    await query(postgres, "GRANT pg_monitor TO managed WITH ADMIN OPTION");
    await query(
      { databaseUrl: owner },
      "GRANT pg_monitor TO managed_service; ALTER ROLE managed_service CREATEROLE",
    );
    await migrate(owner, withLogin(owner, "managed_service", "two"));
    expect(await excessOf(owner, "managed_service")).toEqual([]);
    expect(await tryStatement(withLogin(owner, "managed_service", "two"), "SELECT FROM scan_runs")).toBe(
      "done",
    );
  });

  it("gets instructions without CREATEROLE, and accepts a login that an administrator created", async () => {
    await query(postgres, "CREATE ROLE bound LOGIN PASSWORD 'bound' IN ROLE waymark_app");
    const owner = withLogin(await createDatabase("bound"), "bound", "bound");
    const service = withLogin(owner, "own_service", "kept-out-of-messages");
    const failure = await migrate(owner, service).catch((error: Error) => error.message);
    expect(failure).toContain("ALTER ROLE bound CREATEROLE");
    expect(failure).toContain("CREATE ROLE own_service LOGIN PASSWORD '…' IN ROLE waymark_app");
    expect(failure).not.toContain("kept-out-of-messages");

    await query(
      postgres,
      "CREATE ROLE own_service LOGIN PASSWORD 'kept-out-of-messages' IN ROLE waymark_app",
    );
    await migrate(owner, service);
    expect(await tryStatement(service, "SELECT FROM scan_runs")).toBe("done");

    await query(postgres, "GRANT pg_execute_server_program TO own_service");
    await expect(migrate(owner, service)).rejects.toThrow(
      /may not make or change the role own_service .*member of pg_execute_server_program/,
    );
  });

  it("refuses an unrelated login, and doesn't change it", async () => {
    const owner = await createDatabase();
    await query(postgres, "CREATE ROLE busy LOGIN SUPERUSER PASSWORD 'busy'");
    await query({ databaseUrl: owner }, "CREATE TABLE busy_table (); ALTER TABLE busy_table OWNER TO busy");
    const { password } = new URL(owner);
    for (const [name, reason] of [
      ["postgres", "is the one that migrates"],
      ["busy", "owns objects"],
      ["waymark_app", "is no login"],
    ] as const) {
      await expect(migrate(owner, withLogin(owner, name, password))).rejects.toThrow(reason);
    }
    await expect(migrate(owner, withLogin(owner, "nobody", ""))).rejects.toThrow(
      /must have a user and a password/,
    );
    expect(await excessOf(owner, "busy")).toContain("superuser");
    await query({ databaseUrl: owner }, "DROP TABLE busy_table; DROP ROLE busy");
  });
});
