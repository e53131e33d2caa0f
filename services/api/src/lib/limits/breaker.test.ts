import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBreaker } from "./breaker.ts";

const never = () => new Promise<string>(() => undefined);
const instead = async () => "instead";

describe("createBreaker", () => {
  it("does without a shared counter that never responds", async () => {
    const errors: Error[] = [];
    const breaker = createBreaker({ timeoutMs: 15, openMs: 1_000, onError: (error) => errors.push(error) });
    expect(await breaker.run(never, instead)).toBe("instead");
    expect(errors.map((error) => error.message)).toEqual(["no response within 15 ms"]);
  });

  it("makes no attempt for a while after a failure, then one, and reports the first of consecutive failures", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const errors: Error[] = [];
    let asked = 0;
    const failing = async (): Promise<string> => {
      asked++;
      throw new Error("gone");
    };
    const breaker = createBreaker({ timeoutMs: 1_000, openMs: 50, onError: (error) => errors.push(error) });
    for (let i = 0; i < 20; i++) expect(await breaker.run(failing, instead)).toBe("instead");
    expect(asked).toBe(1);

    vi.setSystemTime(Date.now() + 60);
    await Promise.all(Array.from({ length: 20 }, () => breaker.run(failing, instead)));
    expect(asked).toBe(2);
    expect(errors.map((error) => error.message)).toEqual(["gone"]);

    vi.setSystemTime(Date.now() + 60);
    expect(await breaker.run(async () => "back", instead)).toBe("back");
    expect(await breaker.run(async () => "back", instead)).toBe("back");
    await breaker.run(failing, instead);
    expect(errors).toHaveLength(2);
  });

  it("uses a response that arrived within the time limit while the process was busy", async () => {
    const breaker = createBreaker({ timeoutMs: 5, openMs: 1_000, onError: () => undefined });
    const answered = breaker.run(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return "answer";
    }, instead);
    const until = performance.now() + 30;
    while (performance.now() < until);
    expect(await answered).toBe("answer");
  });
});
