import { expect, it } from "vitest";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";
import { createTestDatabase } from "@waymark/test-support/test-database.ts";
import { createPgPool, createQueuePool } from "./pool.ts";
import { isDatabaseUnavailable } from "./unavailable.ts";

it("a query without a response times out, and its connection is not used again", async () => {
  await using database = await createTestDatabase({ migrated: false });
  await using proxy = await startTcpProxy(database.databaseUrl);
  const pool = createPgPool(proxy.url, {
    max: 1,
    applicationName: "test",
    onError: () => undefined,
    answerTimeoutMs: 300,
  });
  const connection = async () =>
    (await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid;
  const first = await connection();

  proxy.goSilent();
  const lost = await connection().then(
    () => undefined,
    (error: Error) => error,
  );
  expect(lost).toBeInstanceOf(Error);
  // So a request gets 503, and a worker's attempt doesn't count.
  expect(lost !== undefined && isDatabaseUnavailable(lost)).toBe(true);

  proxy.resume();
  expect(await connection()).not.toBe(first);
  await pool.end();
});

it("a connection that Postgres ends while in use is reported, and affects nothing else", async () => {
  await using database = await createTestDatabase({ migrated: false });
  const errors: Error[] = [];
  const pool = createQueuePool(database.databaseUrl, { max: 2, onError: (error) => errors.push(error) });
  // Like BullMQ's: checked out, idle, and without an error handler.
  const held = await pool.connect();
  const { rows } = await held.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const ended = new Promise((resolve) => held.once("end", resolve));
  await pool.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
  await ended;
  held.release(true);
  await pool.end();
  expect(errors[0]?.message).toContain("terminating connection");
});
