import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { startPostgresFront } from "@waymark/test-support/postgres/tls-front.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { generate } from "selfsigned";
import { parseDsn, sql } from "slonik";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createDatabasePool, createPgPool, createQueuePool, type PgPool } from "../pool.ts";
import { slonikAddress } from "./connection.ts";
import { createPgClient, pgConnection } from "./primary-client.ts";

const folder = mkdtempSync(path.join(tmpdir(), "waymark-address-"));
let database: TestDatabase;
let login: string;
let name: string;
beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  const url = new URL(database.databaseUrl);
  login = `${url.username}:${url.password}`;
  name = url.pathname.slice(1);
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Makes a certificate that nobody signed for 127.0.0.1 or another name, and stores it. */
async function makeCertificate(file: string, { ip }: { ip: string }) {
  const pems = await generate([{ name: "commonName", value: "test" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip }] },
    ],
  });
  const stored = path.join(folder, file);
  writeFileSync(stored, pems.cert);
  return { file: stored, certificate: { key: pems.private, cert: pems.cert } };
}

async function askOnce(pool: PgPool): Promise<void> {
  try {
    await pool.query("SELECT 1");
  } finally {
    await pool.end();
  }
}

const failed = (error: unknown) => (error instanceof Error ? "refused" : "thrown");

/** Connects as each process does: one client, both kinds of pools and the queue's pool. */
async function connectEveryWay(databaseUrl: string): Promise<string[]> {
  const onError = () => undefined;
  const ways = [
    async () => {
      const client = createPgClient(databaseUrl, {});
      await client.connect();
      await client.end();
    },
    async () => {
      const pool = createPgPool(databaseUrl, { max: 1, applicationName: "test", onError });
      await askOnce(pool);
    },
    async () => {
      const pool = createQueuePool(databaseUrl, { max: 1, onError });
      await askOnce(pool);
    },
    async () => {
      const pool = await createDatabasePool(databaseUrl, { max: 1, applicationName: "test" });
      await pool.one(sql.type(z.strictObject({ one: z.int() }))`SELECT 1 AS one`);
      await pool.end();
    },
  ];
  return Promise.all(ways.map((way) => way().then(() => "connected", failed)));
}

const all = (result: string) => [result, result, result, result];

describe("an address with TLS means the same for every connection", () => {
  test("and checks the certificate as sslmode says", async () => {
    const own = await makeCertificate("own.pem", { ip: "127.0.0.1" });
    const other = await makeCertificate("other.pem", { ip: "127.0.0.1" });
    const foreign = await makeCertificate("foreign.pem", { ip: "10.0.0.1" });
    await using front = await startPostgresFront(database.databaseUrl, { certificate: own.certificate });
    await using elsewhere = await startPostgresFront(database.databaseUrl, {
      certificate: foreign.certificate,
    });
    const to = ({ port }: { port: number }, query: string) =>
      connectEveryWay(`postgres://${login}@127.0.0.1:${port}/${name}?${query}`);

    expect(await to(front, "sslmode=require")).toEqual(all("connected"));
    expect(await to(front, `sslmode=verify-full&sslrootcert=${own.file}`)).toEqual(all("connected"));
    expect(await to(front, `sslmode=require&sslrootcert=${own.file}`)).toEqual(all("connected"));
    expect(await to(front, `sslmode=verify-full&sslrootcert=${other.file}`)).toEqual(all("refused"));
    expect(await to(front, `sslmode=require&sslrootcert=${other.file}`)).toEqual(all("refused"));
    expect(await to(front, "sslmode=verify-full")).toEqual(all("refused"));
    expect(await to(elsewhere, `sslmode=verify-ca&sslrootcert=${foreign.file}`)).toEqual(all("connected"));
    expect(await to(elsewhere, `sslmode=verify-full&sslrootcert=${foreign.file}`)).toEqual(all("refused"));
  });

  test("and is never encrypted less than it says", async () => {
    const { host } = new URL(database.databaseUrl);
    expect(await connectEveryWay(`postgres://${login}@${host}/${name}?sslmode=require`)).toEqual(
      all("refused"),
    );
  });
});

test("an address with a Unix socket leads there for every connection", async () => {
  await using _front = await startPostgresFront(database.databaseUrl, {
    file: path.join(folder, ".s.PGSQL.5432"),
  });
  expect(await connectEveryWay(`postgres://${login}@/${name}?host=${folder}`)).toEqual(all("connected"));
  expect(await connectEveryWay(`postgres://${login}@${encodeURIComponent(folder)}/${name}`)).toEqual(
    all("connected"),
  );
});

test("an address with an IPv6 host leads there for every connection", async () => {
  await using front = await startPostgresFront(database.databaseUrl, { host: "::1" });
  expect(await connectEveryWay(`postgres://${login}@[::1]:${front.port}/${name}`)).toEqual(all("connected"));
});

test("an address without a port leads to port 5432 for every connection", () => {
  const host = { host: "h", port: 5432 };
  expect(parseDsn(slonikAddress("postgres://h/d", { ...host, applicationName: "test" }))).toMatchObject({
    host: "h",
    port: 5432,
  });
  expect(pgConnection("postgres://h/d")).toMatchObject({ host: "h", port: 5432 });
});

test("an address with several hosts leads to the one that accepts writes, for every connection", async () => {
  await using silent = await startTcpProxy(database.databaseUrl);
  silent.goSilent();
  const { host } = new URL(database.databaseUrl);
  const hosts = ["127.0.0.1:1", new URL(silent.url).host, host];
  const address = (as: string, query = "") => `postgres://${as}@${hosts.join(",")}/${name}${query}`;
  expect(await connectEveryWay(address(login))).toEqual(all("connected"));
  const readOnly = createPgClient(address(login, "?options=-c%20default_transaction_read_only%3Don"), {});
  await expect(readOnly.connect()).rejects.toMatchObject({
    code: "25006",
    message: expect.stringMatching(/^no host of the address accepts writes: .*\(read-only\)$/),
  });
  // Others may be there later, and the one that refuses may have been a standby.
  const refusedByOne = createPgClient(address(`${login}wrong`), {});
  await expect(refusedByOne.connect()).rejects.toMatchObject({
    code: "08001",
    message: expect.stringMatching(/password authentication failed/),
  });
  const refusedByAll = createPgClient(`postgres://${login}wrong@${host},${host}/${name}`, {});
  await expect(refusedByAll.connect()).rejects.toMatchObject({ code: "28P01" });
});
