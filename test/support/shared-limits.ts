import type { HttpClient } from "./http-client.ts";
import { createHostedOrganization, type Stack } from "./stack.ts";
import { waitUntil } from "./wait-until.ts";

/** Waits until two apis count in one Redis. Until each is connected to it, they count by themselves. */
export function countTogether(
  { databaseUrl }: Pick<Stack, "databaseUrl">,
  [one, two]: [HttpClient, HttpClient],
): Promise<void> {
  return waitUntil("two apis that count together", async () => {
    const { apiKey: key } = await createHostedOrganization(databaseUrl, "Counted");
    const remaining = async (http: HttpClient) =>
      Number((await http.get("/api/services", { key })).headers.get("ratelimit-remaining"));
    const first = await remaining(one);
    return (await remaining(two)) === first - 1;
  });
}
