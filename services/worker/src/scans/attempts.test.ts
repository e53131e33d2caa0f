import { describe, expect, it } from "vitest";
import { countedAttempts, isExcused, retryDelayMs } from "./attempts.ts";

const withCode = (code: string) => Object.assign(new Error("of the database"), { code });

describe("an attempt", () => {
  it.each(["53100", "57P01", "57P03", "57014", "08006", "40P01", "55P03", "ECONNREFUSED", "ECONNRESET"])(
    "that ended with %s is excused: the database could not, whatever the run",
    (code) => {
      expect(isExcused(withCode(code), { attempt: 3, attemptsExcused: 0 })).toBe(true);
    },
  );

  it.each(["22021", "23505", "P0001", "54000"])("that ended with %s counts", (code) => {
    expect(isExcused(withCode(code), { attempt: 3, attemptsExcused: 0 })).toBe(false);
  });

  it("counts after 500 attempts even for database errors: a run that crashes the database each time fails", () => {
    expect(isExcused(withCode("57P02"), { attempt: 600, attemptsExcused: 500 })).toBe(false);
  });

  it("is numbered without the excused ones", () => {
    expect(countedAttempts({ attempt: 12, attemptsExcused: 10 })).toBe(2);
  });
});

describe("the pause before the next attempt", () => {
  it("grows to at most a minute, or 15 s if the database was the reason", () => {
    for (let n = 1; n < 300; n++) {
      const own = retryDelayMs({ attempt: n, attemptsExcused: 0 }, { excused: false });
      expect(own).toBeGreaterThanOrEqual(Math.min(500 * 2 ** n, 60_000) / 2);
      expect(own).toBeLessThanOrEqual(60_000);
      const excused = retryDelayMs({ attempt: n, attemptsExcused: n - 1 }, { excused: true });
      expect(excused).toBeGreaterThanOrEqual(Math.min(500 * 2 ** n, 15_000) / 2);
      expect(excused).toBeLessThanOrEqual(15_000);
    }
  });
});
