import { OPERATIONS } from "@waymark/shared/all-operations.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { ROUTE_CASES } from "@waymark/test-support/key-suite/route-cases.ts";
import { createWorld, type KeySuiteWorld } from "@waymark/test-support/key-suite/world.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { startApiProcess } from "@waymark/test-support/stack.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { type OwnPostgres, type Standby, startOwnPostgres } from "./support/own-postgres.ts";

type Api = Awaited<ReturnType<typeof startApiProcess>>;

const started = new AsyncDisposableStack();
let primary: OwnPostgres;
let standby: Standby;
let databaseUrl: string;
let world: KeySuiteWorld;
let api: Api;
let metricsPort: number;
let http: ReturnType<typeof createHttpClient>;
beforeAll(async () => {
  primary = started.use(await startOwnPostgres());
  databaseUrl = await primary.createDatabase("waymark_replica");
  standby = started.use(await primary.startStandby());
  // A replica that follows by itself: commits don't wait for it.
  await query({ databaseUrl }, "ALTER SYSTEM SET synchronous_standby_names = ''");
  await query({ databaseUrl }, "SELECT pg_reload_conf()");
  world = started.use(await createWorld({ databaseUrl }));
  metricsPort = await findFreePort();
  api = started.use(
    await startApiProcess({
      databaseUrl,
      env: { DATABASE_REPLICA_URL: replicaUrl(serviceUrl(databaseUrl)), METRICS_PORT: String(metricsPort) },
    }),
  );
  http = createHttpClient(api.baseUrl, { key: world.stack.apiKey });
}, 240_000);
afterAll(() => started.disposeAsync());

const replicaUrl = (url: string) => url.replace(`:${new URL(url).port}`, `:${standby.port}`);
const onReplica = (statement: string) => query({ databaseUrl: replicaUrl(databaseUrl) }, statement);

/** Starts another api, of which `read` sends a request and resolves to how many each server has answered. */
async function startWithReplica(url: string) {
  const port = await findFreePort();
  const env = { DATABASE_REPLICA_URL: url, METRICS_PORT: String(port) };
  const other = await startApiProcess({ databaseUrl, env });
  const client = createHttpClient(other.baseUrl, { key: world.stack.apiKey });
  return {
    api: other,
    async read() {
      expect((await client.get("/api/services")).status).toBe(200);
      return reads(port);
    },
    [Symbol.asyncDispose]: () => other[Symbol.asyncDispose](),
  };
}

/** How many reads each server has answered. */
async function reads(port = metricsPort): Promise<{ primary: number; replica: number }> {
  const { value } = await scrape(port);
  const of = (server: string) => value(`waymark_database_reads_total{server="${server}"}`) ?? 0;
  return { primary: of("primary"), replica: of("replica") };
}

async function untilReplicaIsUsed(): Promise<void> {
  const before = await reads();
  await expect
    .poll(async () => {
      await http.get("/api/services");
      return (await reads()).replica;
    })
    .toBeGreaterThan(before.replica);
}

/** Names a team, and reads its name at once. */
async function changeAndRead(name: string): Promise<unknown> {
  const created = await http.post<{ slug: string }>("/api/teams", { slug: name, displayName: name });
  expect(created.status).toBe(201);
  const { body } = await http.get<{ teams: { slug: string }[] }>("/api/teams");
  return body.teams.map(({ slug }) => slug);
}

describe("an api with a replica", () => {
  it("reads from it, and sees its own change at once each time", async () => {
    await untilReplicaIsUsed();
    for (let i = 0; i < 30; i++) expect(await changeAndRead(`own-${i}`)).toContain(`own-${i}`);
    const { replica } = await reads();
    expect(replica).toBeGreaterThan(0);
  });

  it("answers every operation that only reads as an api without one", { timeout: 240_000 }, async () => {
    const key = await createKey(world.stack, ["*"]);
    const differing = [];
    for (const operation of Object.values(OPERATIONS)) {
      const example = ROUTE_CASES[operation.id];
      if (operation.method !== "GET" || example === undefined) continue;
      const { method, path, ...options } = await example.request(world);
      const [with_, without] = [
        await http.request(method, path, { key, ...options }),
        await world.stack.http.request(method, path, { key, ...options }),
      ];
      if (with_.status !== without.status) differing.push(`${operation.id}: ${with_.status} ${with_.text}`);
    }
    expect(differing).toEqual([]);
  });

  it("reads from the primary while the replica is behind, so that nobody sees old data", async () => {
    await onReplica("SELECT pg_wal_replay_pause()");
    const before = await reads();
    for (let i = 0; i < 5; i++) expect(await changeAndRead(`late-${i}`)).toContain(`late-${i}`);
    expect(await reads()).toMatchObject({ replica: before.replica });
    await onReplica("SELECT pg_wal_replay_resume()");
    await untilReplicaIsUsed();
  });

  it("reads from the primary while the replica is gone, and from it again when it is back", async () => {
    const lines = () =>
      api.logLines().filter(({ msg }) => /^the replica, .+ can't be reached$/.test(String(msg)));
    const before = lines().length;
    await standby.stop();
    for (let i = 0; i < 5; i++) expect(await changeAndRead(`alone-${i}`)).toContain(`alone-${i}`);
    expect(lines().length - before).toBe(1);
    await standby.start();
    await untilReplicaIsUsed();
  });

  it("reads from the primary while the replica accepts connections and never answers", async () => {
    await using proxy = await startTcpProxy(replicaUrl(serviceUrl(databaseUrl)));
    await using other = await startWithReplica(proxy.url);
    await expect.poll(async () => (await other.read()).replica).toBeGreaterThan(0);
    proxy.goSilent();
    const before = await other.read();
    for (let i = 0; i < 3; i++) await other.read();
    expect(await other.read()).toMatchObject({ replica: before.replica });
    proxy.resume();
    await expect.poll(async () => (await other.read()).replica).toBeGreaterThan(before.replica);
  });

  it.each(["password", "database"])(
    "reads from the primary if the replica refuses the %s",
    async (refused) => {
      const url = new URL(replicaUrl(serviceUrl(databaseUrl)));
      if (refused === "password") url.password = "wrong";
      else url.pathname = "/wrong";
      await using other = await startWithReplica(url.href);
      for (let i = 0; i < 3; i++) await other.read();
      expect(await other.read()).toMatchObject({ replica: 0 });
      expect(other.api.logLines()).toContainEqual(
        expect.objectContaining({ msg: expect.stringMatching(/^the replica, .+ can't be reached$/) }),
      );
    },
  );

  it("does not read from a server that follows nobody", async () => {
    await using other = await startWithReplica(serviceUrl(databaseUrl));
    const asked = async () => {
      await other.read();
      const statement =
        "SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%pg_last_wal_replay_lsn%'";
      return query({ databaseUrl }, statement);
    };
    await expect.poll(asked).not.toEqual([]);
    expect(await other.read()).toMatchObject({ replica: 0 });
  });
});
