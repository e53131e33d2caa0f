import { setTimeout as sleep } from "node:timers/promises";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { type Check, mustBe } from "../check.ts";
import type { Fleet } from "../fleet.ts";
import { docker } from "../run.ts";

const CLIENTS = 4;
const STOP_S = "40";

interface Answers {
  total: number;
  errors: string[];
}

export const rollingRestart: Check = {
  title: "Rolling restart",
  what: "Clients send scans and read without a pause and repeat nothing, while each worker and then each api is restarted, one after another. No request may fail.",
  async run(fleet) {
    const answers: Answers = { total: 0, errors: [] };
    const end = new AbortController();
    const clients = Array.from({ length: CLIENTS }, (_, index) => request(fleet, answers, end.signal, index));
    let restarted = 0;
    for (const service of ["worker", "api"]) {
      for (const container of await fleet.containersOf(service)) {
        await docker("restart", "--time", STOP_S, container);
        await fleet.untilHealthy(service);
        // Until the load balancer has seen it.
        await sleep(3_000);
        restarted++;
      }
    }
    end.abort();
    await Promise.all(clients);
    mustBe(`failed requests (${answers.errors.slice(0, 3).join("; ")})`, answers.errors.length, 0);
    mustBe("restarted containers", restarted, 4);
    return { "containers restarted": restarted, requests: answers.total, "failed requests": 0 };
  },
};

async function request(fleet: Fleet, answers: Answers, signal: AbortSignal, client: number): Promise<void> {
  for (let index = 0; !signal.aborted; index++) {
    const body = scanPayload({ serviceName: `rolling-${client}`, seed: `${client}-${index}` });
    try {
      const isScan = index % 2 === 0;
      const { status, text } = isScan
        ? await fleet.http.post("/api/scans/ingest", body)
        : await fleet.http.get("/api/services");
      if (status !== (isScan ? 201 : 200)) answers.errors.push(`${status} ${text.slice(0, 200)}`);
    } catch (error) {
      answers.errors.push(String(error));
    }
    answers.total++;
    await sleep(20);
  }
}
