import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { createDatabasePool, type DatabasePool } from "@waymark/server/db/pool.ts";
import { KeyRingField } from "@waymark/server/encryption/key-ring.ts";
import { insertEnvironment } from "@waymark/server/environments/queries.ts";
import { storeSecret } from "@waymark/server/environments/secrets/secrets.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createTestDatabase, type TestDatabase } from "@waymark/test-support/test-database.ts";
import { createSecretOpener } from "./open-secrets.ts";

const ring = KeyRingField.parse(`k1:${randomBytes(32).toString("base64")}`);
const HOSTS = ["api.example.com"];

let database: TestDatabase;
let db: DatabasePool;
beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDatabasePool(serviceUrl(database.databaseUrl), { max: 2, applicationName: "test" });
});
afterAll(async () => {
  await db.end();
  await database[Symbol.asyncDispose]();
});

/** An environment of a new organization with the secrets FIRST and SECOND. */
async function newEnvironment() {
  const [organizationId, environmentId, keyId] = [randomUUID(), randomUUID(), randomUUID()];
  await query(database, "INSERT INTO organizations (id, name) VALUES ($1, 'test')", [organizationId]);
  await withOrganization(db, organizationId, async (tx) => {
    await insertEnvironment(tx, {
      organizationId,
      id: environmentId,
      name: "staging",
      servers: {},
      variables: {},
      inputs: {},
      allowedHosts: [],
      protected: false,
      storesBodies: true,
      createdByKeyId: keyId,
    });
    for (const [name, value] of Object.entries({ FIRST: "value-of-first", SECOND: "value-of-second" })) {
      await storeSecret(tx, ring, {
        organizationId,
        environmentId,
        name,
        value,
        hosts: HOSTS,
        version: 1,
        keyId,
      });
    }
  });
  return { organizationId, environmentId };
}

const eventsOf = (runId: string) =>
  query<{ action: string; details: unknown }>(
    database,
    "SELECT action, details FROM audit_events WHERE details->>'runId' = $1",
    [runId],
  );

it("a run gets the secrets that it names, with their hosts, and the use is recorded by name", async () => {
  const environment = await newEnvironment();
  const runId = randomUUID();
  const openSecrets = createSecretOpener(db, ring);
  const names = ["SECOND", "FIRST", "MISSING"];
  expect(await openSecrets({ ...environment, runId, names })).toEqual({
    FIRST: { value: "value-of-first", hosts: HOSTS },
    SECOND: { value: "value-of-second", hosts: HOSTS },
  });
  const { environmentId } = environment;
  expect(await eventsOf(runId)).toEqual([
    { action: "secret.used", details: { environmentId, runId, secrets: ["FIRST", "SECOND"] } },
  ]);
});

/** A stored run without what it was made of. */
async function insertRun(
  place: { organizationId: string; environmentId: string },
  scheduleId: string | null,
) {
  const [runId, keyId] = [randomUUID(), randomUUID()];
  await query(database, "ALTER TABLE journey_runs DISABLE TRIGGER ALL");
  await query(
    database,
    `INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision,
       artifact_hash, program_id, origin, trigger, schedule_id, status, inputs, seed, strict_contract, created_by_key_id)
     VALUES ($1, $2, gen_random_uuid(), 1, $3, 1, decode(repeat('00', 32), 'hex'), '', 'cloud', $4, $5, 'queued', '{}', '', false, $6)`,
    [
      place.organizationId,
      runId,
      place.environmentId,
      scheduleId === null ? "api" : "schedule",
      scheduleId,
      keyId,
    ],
  );
  return { runId, keyId };
}

it("the use is recorded as that of the key that started the run, or of its schedule", async () => {
  const environment = await newEnvironment();
  const openSecrets = createSecretOpener(db, ring);
  const actorOf = async (runId: string) => {
    await openSecrets({ ...environment, runId, names: ["FIRST"] });
    const [event] = await query<{ actor: string | null; by: string | null; schedule: string | null }>(
      database,
      `SELECT actor_key_id AS actor, details->>'by' AS by, details->>'scheduleId' AS schedule
       FROM audit_events WHERE details->>'runId' = $1`,
      [runId],
    );
    return event;
  };
  const byKey = await insertRun(environment, null);
  expect(await actorOf(byKey.runId)).toEqual({ actor: byKey.keyId, by: null, schedule: null });
  const scheduleId = randomUUID();
  const bySchedule = await insertRun(environment, scheduleId);
  expect(await actorOf(bySchedule.runId)).toEqual({ actor: null, by: "schedule", schedule: scheduleId });
});

it("a run of another organization or environment gets nothing, and nothing is recorded", async () => {
  const [ours, theirs] = [await newEnvironment(), await newEnvironment()];
  const openSecrets = createSecretOpener(db, ring);
  for (const place of [
    { ...ours, environmentId: theirs.environmentId },
    { ...ours, organizationId: theirs.organizationId },
    { ...ours, environmentId: randomUUID() },
  ]) {
    const runId = randomUUID();
    expect(await openSecrets({ ...place, runId, names: ["FIRST"] })).toEqual({});
    expect(await eventsOf(runId)).toEqual([]);
  }
});

it("without a key ring, runs without secrets are carried out, and others are told what is missing", async () => {
  const environment = await newEnvironment();
  const openSecrets = createSecretOpener(db, undefined);
  const runId = randomUUID();
  expect(await openSecrets({ ...environment, runId, names: [] })).toEqual({});
  await expect(openSecrets({ ...environment, runId, names: ["FIRST"] })).rejects.toThrow(
    /must set JOURNEY_KEYS/,
  );
  expect(await eventsOf(runId)).toEqual([]);
});

it("a value that can't be decrypted fails the run by the secret's name, and no use is recorded", async () => {
  const environment = await newEnvironment();
  await query(
    database,
    "UPDATE environment_secrets SET version = 2 WHERE environment_id = $1 AND name = 'SECOND'",
    [environment.environmentId],
  );
  const runId = randomUUID();
  const opened = createSecretOpener(db, ring)({ ...environment, runId, names: ["FIRST", "SECOND"] });
  await expect(opened).rejects.toThrow("The secret SECOND can't be decrypted");
  expect(await eventsOf(runId)).toEqual([]);
  const used = await query(
    database,
    "SELECT FROM environment_secrets WHERE environment_id = $1 AND last_used_at IS NOT NULL",
    [environment.environmentId],
  );
  expect(used).toEqual([]);
});
