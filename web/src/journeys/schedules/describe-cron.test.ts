import { expect, test } from "vitest";
import { describeCron } from "./describe-cron.ts";

test.each([
  ["30 2 * * *", "at 02:30, every day"],
  ["30 2 * * mon-fri", "at 02:30, Monday to Friday"],
  ["0 9,17 * * 1,3", "at 09:00 and 17:00, Monday and Wednesday"],
  ["0 0 * * 7", "at 00:00, Sunday"],
  ["*/15 * * * *", "every 15 minutes"],
  ["* * * * *", "every minute"],
  ["5,35 * * * *", "every hour at minute 5 and 35"],
  ["0 */6 * * *", "every 6 hours at minute 0"],
  ["*/10 8-18 * * 1-5", "every 10 minutes from 08 to 18 o'clock, Monday to Friday"],
  ["0 8-18 * * *", "at minute 0 from 08 to 18 o'clock, every day"],
  ["0 3 1 * *", "at 03:00, on day 1 of the month"],
  ["0 3 1,15 JAN,7 *", "at 03:00, on day 1 and 15 of the month in January and July"],
  ["0 3 1 * FRI", "at 03:00, on day 1 of the month or on Friday"],
  ["0 3 * 12 *", "at 03:00, in December"],
])("%s is %s", (cron, words) => {
  expect(describeCron(cron)).toBe(words);
});

test.each([
  "",
  "0 3 * *",
  "0 0 3 * * *",
  "0 3 L * *",
  "0 3 * * 5#2",
  "0 3 1-31/2 * *",
  "0 3 * 13 *",
  "0 3 * * MAI",
])("%j has no words", (cron) => {
  expect(describeCron(cron)).toBeUndefined();
});
