import { describe, expect, it } from "vitest";
import { parseRedisUrl } from "./address.ts";
import { RedisUrl } from "./field.ts";

describe("the address of Redis", () => {
  it.each([
    "redis://localhost",
    "redis://:pa,ss%2Cword@10.0.0.1:6379",
    "rediss://user:sentinel@redis.example:6380/2",
    "redis://cluster.example:6379",
    "redis://[::1]:6379",
  ])("may be %s", (url) => {
    expect(RedisUrl.parse(url)).toBe(url);
  });

  it.each([
    [
      "redis+sentinel://user:p%40ss@s1,s2:26380,[fd00::1]/primary/2?sentinelUsername=u&sentinelPassword=s%26t",
      {
        kind: "sentinel",
        hosts: [
          { host: "s1", port: 26_379 },
          { host: "s2", port: 26_380 },
          { host: "fd00::1", port: 26_379 },
        ],
        name: "primary",
        db: 2,
        login: { username: "user", password: "p@ss" },
        sentinelLogin: { username: "u", password: "s&t" },
        tls: false,
      },
    ],
    [
      "rediss+sentinel://:secret@s1/primary",
      {
        kind: "sentinel",
        name: "primary",
        db: 0,
        login: { password: "secret" },
        sentinelLogin: {},
        tls: true,
      },
    ],
    [
      "rediss+cluster://user:secret@a:6380,b/0",
      {
        kind: "cluster",
        hosts: [
          { host: "a", port: 6380 },
          { host: "b", port: 6379 },
        ],
        login: { username: "user", password: "secret" },
        tls: true,
      },
    ],
  ])("may name several servers: %s", (url, address) => {
    expect(RedisUrl.parse(url)).toBe(url);
    expect(parseRedisUrl(url)).toMatchObject(address);
  });

  it.each([
    ["redis-sentinel://:secret@s1,s2?sentinelMasterId=primary", /redis\+sentinel:\/\/.*NAME/],
    ["sentinel://s1/primary", /redis\+sentinel:/],
    ["redis://s1:26379", /redis\+sentinel:/],
    ["redis://:secret@s1?sentinelMasterId=primary", /redis\+sentinel:/],
    ["redis+sentinel://:secret@s1,s2", /the name under which the Sentinels/],
    ["redis+sentinel://:secret@s1/primary/db", /number of a database/],
    ["redis+sentinel://:secret@s1/primary?password=secret", /sentinelPassword only/],
    ["redis+sentinel://:secret@s1,,s2/primary", /hosts with ports/],
    ["redis+sentinel://:secret@s1:0/primary", /hosts with ports/],
    ["redis+sentinel://:secret%@s1/primary", /% that is no escape/],
    ["redis+sentinel://:secret#5@s1/primary", /redis/],
    ["redis+cluster://:secret@a:6379/1", /must not name a database/],
    ["redis+cluster://:secret@a:6379?x=secret", /must not have parameters/],
    ["redis://a:6379,b:6379,c:6379", /redis\+sentinel:.* or redis\+cluster:/],
    ["redis://:secret@a,b", /must say what its servers are/],
    ["rediss://a:6379?cluster=true", /redis\+cluster:/],
    ["http://a", /redis:\/\/ or rediss:\/\//],
    ["a:6379", /redis:\/\/ or rediss:\/\//],
  ])("is refused with what to write instead: %s", (url, message) => {
    const { error } = RedisUrl.safeParse(url);
    expect(error?.issues[0]?.message).toMatch(message);
    expect(error?.issues[0]?.message).not.toContain("secret");
  });
});
