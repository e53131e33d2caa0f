import { describe, expect, it } from "vitest";
import { RedisUrl } from "./redis-url.ts";

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
    ["redis+sentinel://s1:26379,s2:26379/mymaster", /Sentinel.*one server.*HAProxy/],
    ["redis-sentinel://s1,s2", /Sentinel/],
    ["redis://s1:26379", /Sentinel/],
    ["redis://s1?sentinelMasterId=mymaster", /Sentinel/],
    ["redis+cluster://a:6379", /cluster.*one server/],
    ["redis://a:6379,b:6379,c:6379", /several servers.*one server/],
    ["redis://:secret@a,b", /several servers/],
    ["rediss://a:6379?cluster=true", /cluster/],
    ["http://a", /redis:\/\/ or rediss:\/\//],
    ["a:6379", /redis:\/\/ or rediss:\/\//],
  ])("is refused with what to use instead: %s", (url, message) => {
    const { error } = RedisUrl.safeParse(url);
    expect(error?.issues[0]?.message).toMatch(message);
    expect(error?.issues[0]?.message).not.toContain("secret");
  });
});
