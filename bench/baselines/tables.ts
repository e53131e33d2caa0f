import type { Pool } from "pg";

/**
 * What the synchronous servers store in: a row for each item of each run, in tables of their own, so that they stay
 * what they are when the product's change.
 */
export async function createTables(pool: Pool): Promise<void> {
  await pool.query(TABLES_SQL);
}

const TABLES_SQL = `
  CREATE SCHEMA IF NOT EXISTS baseline;
  CREATE TABLE IF NOT EXISTS baseline.services (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    current_run_id uuid,
    current_ordered_at timestamptz,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, name)
  );
  CREATE TABLE IF NOT EXISTS baseline.scan_runs (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    service_id uuid NOT NULL,
    spec_hash text NOT NULL,
    spec_format text NOT NULL,
    spec_version text,
    spec_title text,
    endpoint_count integer NOT NULL,
    finding_count integer NOT NULL,
    findings_by_severity jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    created_by_key_id uuid NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, service_id) REFERENCES baseline.services (organization_id, id)
  );
  CREATE INDEX IF NOT EXISTS scan_runs_by_service
    ON baseline.scan_runs (organization_id, service_id, created_at, id);
  CREATE TABLE IF NOT EXISTS baseline.run_endpoints (
    organization_id uuid NOT NULL,
    run_id uuid NOT NULL,
    ordinal integer NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    operation_id text,
    tags text[] NOT NULL,
    summary text,
    PRIMARY KEY (organization_id, run_id, ordinal)
  );
  CREATE TABLE IF NOT EXISTS baseline.run_findings (
    organization_id uuid NOT NULL,
    run_id uuid NOT NULL,
    ordinal integer NOT NULL,
    code text NOT NULL,
    severity text NOT NULL,
    message text NOT NULL,
    method text,
    path text,
    PRIMARY KEY (organization_id, run_id, ordinal)
  )`;
