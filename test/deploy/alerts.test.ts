import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findOrInstall } from "@waymark/test-support/debian-package.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const MANUAL =
  "This test needs promtool on the PATH (Debian and Ubuntu: apt-get install prometheus; macOS: brew install prometheus).";
const RULES = path.join(root, "deploy/helm/waymark/alerts.yml");
/** After the longest `for` and the longest range of a rule. */
const EVALUATED_AT = "40m";

const API = 'job="waymark-api",instance="a:9464"';
const WORKER = 'job="waymark-worker",instance="w:9464"';

/** Series in promtool's notation, with a value for each minute: `0+60x60` rises by 60 a minute for an hour. */
type Series = Record<string, string>;

const HEALTHY: Series = {
  [`up{${API}}`]: "1x60",
  [`up{${WORKER}}`]: "1x60",
  [`waymark_oldest_unfinished_scan_run_age_seconds{${API}}`]: "0.4x60",
  [`waymark_unfinished_scan_runs{${API}}`]: "12x60",
  [`waymark_backlog_samples_failed_total{${API}}`]: "0x60",
  [`waymark_scan_runs_failed_total{${WORKER},code="persistence_failed"}`]: "2x60",
  [`waymark_scan_runs_completed_total{${WORKER}}`]: "0+600x60",
  [`waymark_scan_runs_retried_total{${WORKER}}`]: "0+1x60",
  [`waymark_http_requests_total{${API},status="201"}`]: "0+600x60",
  [`waymark_http_requests_total{${API},status="503"}`]: "0+1x60",
  [`waymark_ingest_duration_seconds_bucket{${API},path="new",le="0.1"}`]: "0+600x60",
  [`waymark_ingest_duration_seconds_bucket{${API},path="new",le="+Inf"}`]: "0+601x60",
  [`waymark_queue_usable{${API}}`]: "1x60",
  [`waymark_queue_usable{${WORKER}}`]: "1x60",
  [`waymark_reconciler_found_total{${WORKER}}`]: "0+2x60",
  [`waymark_key_refusals_total{${API},code="invalid_api_key"}`]: "0+10x60",
  [`waymark_bodies_refused_total{${API},code="validation_failed"}`]: "0+5x60",
  [`waymark_database_pool_waiting{${API},pool="hot"}`]: "1x60",
  [`nodejs_eventloop_lag_p99_seconds{${API}}`]: "0.02x60",
  [`waymark_journey_runs_oldest_waiting_seconds{${WORKER}}`]: "0.2x60",
  [`waymark_journey_runs_recovered_total{${WORKER},lost="worker"}`]: "1x60",
  [`waymark_journey_runs_recovered_total{${WORKER},lost="silent"}`]: "1x60",
  [`waymark_journey_leases_lost_total{${WORKER}}`]: "0x60",
  [`waymark_journey_schedules_overdue_seconds{${WORKER}}`]: "2x60",
};

/** The series that differ from a healthy fleet's when the alert must fire. */
const FAULTS: Record<string, Series> = {
  WaymarkWorkersDown: { [`up{${WORKER}}`]: "1x10 0x50" },
  WaymarkApiDown: { [`up{${API}}`]: "1x10 0x50" },
  WaymarkOldestRunTooOld: { [`waymark_oldest_unfinished_scan_run_age_seconds{${API}}`]: "0+60x60" },
  WaymarkBacklogLarge: { [`waymark_unfinished_scan_runs{${API}}`]: "6000x60" },
  WaymarkBacklogUnknown: { [`waymark_backlog_samples_failed_total{${API}}`]: "0+1x60" },
  WaymarkScanRunsFail: {
    [`waymark_scan_runs_failed_total{${WORKER},code="persistence_failed"}`]: "2x30 3x30",
  },
  WaymarkAttemptsFail: { [`waymark_scan_runs_retried_total{${WORKER}}`]: "0+60x60" },
  WaymarkServerErrors: { [`waymark_http_requests_total{${API},status="503"}`]: "0+10x60" },
  WaymarkIngestSlow: {
    [`waymark_ingest_duration_seconds_bucket{${API},path="new",le="0.1"}`]: "0+10x60",
    [`waymark_ingest_duration_seconds_bucket{${API},path="new",le="2"}`]: "0+600x60",
  },
  WaymarkQueueUnreachable: { [`waymark_queue_usable{${WORKER}}`]: "0x60" },
  WaymarkReconcilerBusy: { [`waymark_reconciler_found_total{${WORKER}}`]: "0+600x60" },
  WaymarkKeysRefused: { [`waymark_key_refusals_total{${API},code="invalid_api_key"}`]: "0+600x60" },
  WaymarkBodiesRefused: { [`waymark_bodies_refused_total{${API},code="validation_failed"}`]: "0+600x60" },
  WaymarkPoolExhausted: { [`waymark_database_pool_waiting{${API},pool="hot"}`]: "20x60" },
  WaymarkEventLoopSlow: { [`nodejs_eventloop_lag_p99_seconds{${API}}`]: "0.9x60" },
  WaymarkJourneysWait: { [`waymark_journey_runs_oldest_waiting_seconds{${WORKER}}`]: "0+60x60" },
  WaymarkJourneyWorkersLost: {
    [`waymark_journey_runs_recovered_total{${WORKER},lost="worker"}`]: "1x30 2x30",
  },
  WaymarkJourneyProcessesLost: {
    [`waymark_journey_runs_recovered_total{${WORKER},lost="silent"}`]: "0+1x60",
  },
  WaymarkJourneyLeasesLost: { [`waymark_journey_leases_lost_total{${WORKER}}`]: "0x30 1x30" },
  WaymarkSchedulesLate: { [`waymark_journey_schedules_overdue_seconds{${WORKER}}`]: "0+60x60" },
};

let promtool: (...args: string[]) => Promise<string>;
let folder: string;
beforeAll(async () => {
  const program = await findOrInstall(["promtool"], { debianPackage: "prometheus", manual: MANUAL });
  if (!("file" in program)) throw new Error(program.whatToDo);
  folder = mkdtempSync(path.join(tmpdir(), "waymark-alerts-"));
  promtool = async (...args) => (await promisify(execFile)(program.file, args)).stdout;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The names of the alerts that fire, as a test of promtool. */
function unitTest(name: string, series: Series, firing: readonly string[]): object {
  return {
    name,
    interval: "1m",
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: EVALUATED_AT,
        exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

async function runUnitTests(name: string, tests: readonly object[]): Promise<string> {
  const file = path.join(folder, `${name}.yml`);
  writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: "1m", tests }));
  return promtool("test", "rules", file);
}

describe("Prometheus", () => {
  it("accepts the rules, and the configuration that scrapes compose", async () => {
    expect(await promtool("check", "rules", RULES)).toContain("SUCCESS");
    const configuration = path.join(root, "deploy/prometheus.yml");
    expect(await promtool("check", "config", configuration)).toContain("SUCCESS");
  });

  it("fires no alert for a healthy fleet, and for each fault its alert and no other", async () => {
    const { groups } = parse(readFileSync(RULES, "utf8")) as { groups: { rules: { alert: string }[] }[] };
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(Object.keys(FAULTS).toSorted()).toEqual(alerts.toSorted());
    const tests = Object.entries(FAULTS).map(([alert, fault]) =>
      unitTest(alert, { ...HEALTHY, ...fault }, [alert]),
    );
    const output = await runUnitTests("alerts", [unitTest("healthy", HEALTHY, []), ...tests]);
    expect(output).toContain("SUCCESS");
  });

  it("fails a unit test whose alert does not fire, so that these tests can fail", async () => {
    await expect(runUnitTests("wrong", [unitTest("healthy", HEALTHY, ["WaymarkApiDown"])])).rejects.toThrow(
      Error,
    );
  });
});
