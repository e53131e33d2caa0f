import { setTimeout as sleep } from "node:timers/promises";
import { type Check, mustBe } from "../check.ts";
import { docker } from "../run.ts";
import { sendScans, untilCompleted } from "../scans.ts";

const SCANS = 500;

export const kills: Check = {
  title: "An api and a worker are killed",
  what: `${SCANS} scans are sent, 8 at a time; meanwhile every process of an api's container and of a worker's gets SIGKILL. The client repeats what got no answer, with the same Idempotency-Key. Docker starts both again. All must be completed, each once.`,
  async run(fleet) {
    const before = Number(await fleet.sql("SELECT count(*) FROM scan_runs"));
    const sending = sendScans(fleet, SCANS);
    await sleep(1_500);
    for (const service of ["api", "worker"]) {
      const [container = ""] = await fleet.containersOf(service);
      // All but the init process, which then ends the container, as a crash does: Docker starts it again.
      await docker("exec", container, "sh", "-c", "kill -9 -1").catch(() => undefined);
    }
    const sent = await sending;
    const { completed, tookMs } = await untilCompleted(fleet, sent);
    for (const service of ["api", "worker"]) await fleet.untilHealthy(service);
    const runs = Number(await fleet.sql("SELECT count(*) FROM scan_runs")) - before;
    mustBe("completed scans", completed, SCANS);
    mustBe("runs in the database", runs, SCANS);
    const restarts = await restartsOf(await fleet.containersOf("api"), await fleet.containersOf("worker"));
    mustBe("containers that Docker started again", restarts, 2);
    return {
      "scans sent": SCANS,
      completed,
      "runs stored": runs,
      "scans that needed a second attempt": sent.filter(({ attempts }) => attempts > 1).length,
      "containers killed and started again": restarts,
      "from the last 201 until all were completed (ms)": tookMs,
    };
  },
};

async function restartsOf(...containers: readonly (readonly string[])[]): Promise<number> {
  const counts = await docker("inspect", "--format", "{{.RestartCount}}", ...containers.flat());
  return counts.split("\n").filter((count) => Number(count) > 0).length;
}
