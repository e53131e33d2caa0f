import type { EgressRules } from "@waymark/journey-transport/egress.ts";
import type { DatabasePool, PgPool } from "@waymark/server/db/pool.ts";
import type { Logger } from "@waymark/server/lib/logger.ts";
import type { RunStatus } from "@waymark/journeys/result/result.ts";
import type { Tracing } from "@waymark/server/observability/tracing.ts";
import type { CheckpointBox } from "./checkpoint-box.ts";
import type { OpenSecrets } from "./open-secrets.ts";
import type { RunnerPool } from "./runner/runner-pool.ts";

/** The part that a run lost: its worker, or its process, which was silent, ended, or had a fault. */
export type LostRunner = "worker" | "silent" | "died" | "fault";

/** Gets events of runs. */
export interface RunObserver {
  ended: (status: RunStatus, seconds: number) => void;
  /** A run is taken up for its teardown. */
  recovering: (lost: LostRunner) => void;
  /** A run went over to another worker, because this one did not extend its lease in time. */
  leaseLost: () => void;
  handedOver: () => void;
}

/** The dependencies of code that carries out runs. */
export interface RunContext {
  pool: PgPool;
  db: DatabasePool;
  logger: Logger;
  runners: RunnerPool;
  box: CheckpointBox;
  openSecrets: OpenSecrets;
  /** Returns the current rules, for a run that begins. */
  egress: () => Pick<EgressRules, "operatorAllows" | "own">;
  leaseMs: number;
  observer: RunObserver;
  tracing: Tracing | undefined;
}
