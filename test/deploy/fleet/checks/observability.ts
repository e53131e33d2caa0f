import { setTimeout as sleep } from "node:timers/promises";
import { type Check, mustBe } from "../check.ts";
import type { Fleet } from "../fleet.ts";
import { docker } from "../run.ts";

const FILES = ["deploy/compose.observability.yaml"];
const SCRAPED_MS_MAX = 90_000;

export const observability: Check = {
  title: "Prometheus beside the fleet",
  what: "The Prometheus of compose.observability.yaml finds both apis and both workers by Docker's name server, and loads the alerts, of which none fires.",
  async run(fleet) {
    await fleet.compose(["up", "--detach", "--no-deps", "prometheus"], { files: FILES });
    const deadline = Date.now() + SCRAPED_MS_MAX;
    let up = await ask(fleet, "query?query=count by (job) (up == 1)");
    while (!(up.includes("waymark-api=2") && up.includes("waymark-worker=2")) && Date.now() < deadline) {
      await sleep(2_000);
      up = await ask(fleet, "query?query=count by (job) (up == 1)");
    }
    mustBe("the processes that are scraped", up, "waymark-api=2, waymark-worker=2");
    const firing = await ask(fleet, 'query?query=count by (alertname) (ALERTS{alertstate="firing"})');
    mustBe("alerts that fire", firing, "");
    const rules = await askJson<{ data: { groups: { rules: unknown[] }[] } }>(fleet, "rules");
    const count = rules.data.groups.reduce((sum, group) => sum + group.rules.length, 0);
    await fleet.compose(["rm", "--stop", "--force", "prometheus"], { files: FILES });
    return { "processes scraped": up, "rules loaded": count, "alerts that fire": 0 };
  },
};

/** The result of a query, as `label=value` for each series. */
async function ask(fleet: Fleet, path: string): Promise<string> {
  type Series = { metric: Record<string, string>; value: [number, string] };
  const answer = await askJson<{ data?: { result: Series[] } }>(fleet, path).catch(() => ({
    data: undefined,
  }));
  const series = answer.data?.result ?? [];
  return series
    .map(({ metric, value }) => `${Object.values(metric)[0]}=${value[1]}`)
    .toSorted()
    .join(", ");
}

/** From an api's container, because Prometheus is published nowhere. */
async function askJson<T>(fleet: Fleet, path: string): Promise<T> {
  const [container = ""] = await fleet.containersOf("api");
  const url = encodeURI(`http://prometheus:9090/api/v1/${path}`);
  const script = `console.log(await (await fetch(${JSON.stringify(url)})).text())`;
  const output = await docker("exec", container, "node", "--input-type=module", "--eval", script);
  return JSON.parse(output) as T;
}
