import { parseApiKey } from "@waymark/server/api-keys/key-format.ts";
import { Redis } from "ioredis";
import { query } from "./sql.ts";

/** A text and its source: a table, a Redis key, the log of a process, a response. */
export interface SearchedText {
  place: string;
  text: string;
}

interface Finding {
  place: string;
  /** A description of the match without the secret. */
  what: string;
}

/**
 * Searches texts for API keys and tokens of sessions: any there is, known or not, by its format (a key's checksum
 * included), and the secret parts of the known ones, as they are, in hexadecimal (how Postgres shows bytes) and in base64.
 */
export function findSecrets(
  texts: readonly SearchedText[],
  knownKeys: readonly string[],
  knownTokens: readonly string[] = [],
): Finding[] {
  const forms = [
    ...knownKeys.flatMap((rawKey) => formsOf("key", rawKey.slice("wmk_".length + 12 + 1, -6))),
    ...knownTokens.flatMap((token) => formsOf("token", token.slice("wms_".length))),
  ];
  return texts.flatMap(({ place, text }) => [
    ...(text.match(/wmk_[0-9A-Za-z]{12}_[0-9A-Za-z]{39}/g) ?? [])
      .filter((match) => parseApiKey(match) !== undefined)
      .map(() => ({ place, what: "a whole API key" })),
    ...(text.match(/wms_[0-9A-Za-z_-]{43}/g) ?? []).map(() => ({ place, what: "a session's token" })),
    ...forms.filter(({ form }) => text.includes(form)).map(({ what }) => ({ place, what })),
  ]);
}

/** A secret in plain form and in two encodings. */
function formsOf(kind: string, secret: string): { what: string; form: string }[] {
  const what = `the secret of a known ${kind}`;
  return [
    { what, form: secret },
    { what: `${what} in hexadecimal`, form: Buffer.from(secret).toString("hex") },
    ...base64Forms(secret).map((form) => ({ what: `${what} in base64`, form })),
  ];
}

/** Base64 depends on the offset of the text: three forms, without the ends that neighbouring bytes change. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((shift) =>
    Buffer.from(" ".repeat(shift) + text)
      .toString("base64")
      .slice(4, 40),
  );
}

interface SearchedStack {
  databaseUrl: string;
  redisUrl: string | undefined;
  api: { output(): string };
  worker: { output(): string };
}

/**
 * Checks a stack for secrets at the end of every test.
 *
 * @throws Error that names the places where an API key was found
 */
export async function assertHoldsNoKeys(stack: SearchedStack): Promise<void> {
  const found = findSecrets(await dumpStack(stack), []);
  if (found.length === 0) return;
  const places = new Set(found.map((finding) => finding.place));
  throw new Error(`an API key was left in ${[...places].join(", ")}`);
}

/** Everything of a stack that outlives a request: tables, queue and logs. */
export async function dumpStack(stack: SearchedStack): Promise<SearchedText[]> {
  return [
    ...(await dumpDatabase(stack)),
    ...(stack.redisUrl === undefined ? [] : await dumpRedis(stack.redisUrl)),
    { place: "log of the api", text: stack.api.output() },
    { place: "log of the worker", text: stack.worker.output() },
  ];
}

/** Every row of every table of every schema of ours, the queue's included, as text. Tables without a page have no row. */
async function dumpDatabase(database: { databaseUrl: string }): Promise<SearchedText[]> {
  const tables = await query<{ name: string }>(
    database,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
       AND pg_relation_size(format('%I.%I', schemaname, tablename)::regclass) > 0 ORDER BY 1`,
  );
  const texts: SearchedText[] = [];
  for (const { name } of tables) {
    const rows = await query<{ text: string }>(database, `SELECT t::text AS text FROM ${name} t`);
    texts.push({ place: `table ${name}`, text: rows.map((row) => row.text).join("\n") });
  }
  return texts;
}

/** Every key of a Redis database with its value, whatever its type. */
async function dumpRedis(redisUrl: string): Promise<SearchedText[]> {
  const redis = new Redis(redisUrl);
  try {
    const texts: SearchedText[] = [];
    for await (const keys of redis.scanStream({ count: 1000 })) {
      for (const key of new Set(keys as string[])) {
        const value = await redis.dumpBuffer(key);
        const readable = await readValue(redis, key);
        texts.push({
          place: `redis ${key}`,
          text: `${key}\n${readable}\n${value?.toString("latin1") ?? ""}`,
        });
      }
    }
    return texts;
  } finally {
    redis.disconnect();
  }
}

// A serialized value may be compressed: it is read by its type as well.
async function readValue(redis: Redis, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case "string":
      return (await redis.get(key)) ?? "";
    case "hash":
      return JSON.stringify(await redis.hgetall(key));
    case "list":
      return (await redis.lrange(key, 0, -1)).join("\n");
    case "set":
      return (await redis.smembers(key)).join("\n");
    case "zset":
      return (await redis.zrange(key, 0, -1)).join("\n");
    case "stream":
      return JSON.stringify(await redis.xrange(key, "-", "+"));
    default:
      return "";
  }
}
