-- Services, scan runs and their content. Content is cut into chunks that are stored once; a snapshot is a list of chunks.

CREATE TABLE services (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  -- Null if the service is deleted, so that its name is free again.
  name text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The newest promoted run, by (ordered_at, id). It moves back only where a promotion is undone.
  current_run_id uuid,
  -- The content and the time of that run.
  current_snapshot_id uuid,
  current_ordered_at timestamptz,
  -- Rises whenever a promoted run changes what the service's history says; see service_history. Derived data names the number that it
  -- was derived from.
  history integer NOT NULL DEFAULT 0,
  -- The branch whose runs become current in a pipeline, if somebody set it. Otherwise its scans name it.
  default_branch text,
  -- Keys and values that people give it, to filter by.
  labels jsonb NOT NULL DEFAULT '{}',
  -- Addresses of pages about it: repository, documentation, onCall.
  links jsonb NOT NULL DEFAULT '{}',
  -- An archived service is left out of lists and totals. It takes scans as before.
  archived_at timestamptz,
  -- When somebody deleted it. Then its row is hidden from the services' role until a worker has deleted everything that it had.
  deleted_at timestamptz,
  -- When it lost a name. The bytes of an earlier scan may name another service since.
  lost_name_at timestamptz,
  PRIMARY KEY (organization_id, id),
  CHECK ((name IS NULL) = (deleted_at IS NOT NULL))
);
-- Partial, so that only lookups by name can use it: to a table without statistics it would seem as good as the primary key for a lookup by id, and
-- Postgres would read all services of the organization.
CREATE UNIQUE INDEX services_organization_id_name_key ON services (organization_id, name) WHERE name IS NOT NULL;
CREATE INDEX services_deleted ON services (organization_id, deleted_at) WHERE deleted_at IS NOT NULL;

-- The other names of services, such as those that they had before: a scan under one of them is a scan of the service. If a service has the
-- same name, created at the same moment, the scan is that one's.
CREATE TABLE service_aliases (
  organization_id uuid NOT NULL,
  name text NOT NULL,
  service_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, name),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);
CREATE INDEX service_aliases_by_service ON service_aliases (organization_id, service_id);

-- A few consecutive endpoints or findings. The id is the first half of SHA-256 over their JSON text.
CREATE TABLE chunks (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  -- The numbers of rows that were stored with the chunk.
  endpoint_count smallint NOT NULL,
  finding_count smallint GENERATED ALWAYS AS (info_count + low_count + medium_count + high_count + critical_count) STORED,
  info_count smallint NOT NULL,
  low_count smallint NOT NULL,
  medium_count smallint NOT NULL,
  high_count smallint NOT NULL,
  critical_count smallint NOT NULL,
  PRIMARY KEY (organization_id, id)
);

-- No foreign key from the rows to their chunk: it would be checked once per row, up to 2,500 times a scan. They are
-- written and deleted together with their chunk, in one transaction; triggers keep them meanwhile.
CREATE TABLE chunk_endpoints (
  organization_id uuid NOT NULL,
  chunk_id uuid NOT NULL,
  ordinal integer NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  operation_id text,
  tags text[] NOT NULL,
  summary text,
  PRIMARY KEY (organization_id, chunk_id, ordinal)
);

CREATE TABLE chunk_findings (
  organization_id uuid NOT NULL,
  chunk_id uuid NOT NULL,
  ordinal integer NOT NULL,
  code text NOT NULL,
  severity text NOT NULL,
  message text NOT NULL,
  method text,
  path text,
  PRIMARY KEY (organization_id, chunk_id, ordinal)
);

-- Rows as the worker sends them: the tables' columns without the organization, which is a parameter.
CREATE TYPE chunk_endpoint_row AS (
  chunk_id uuid, ordinal integer, method text, path text, operation_id text, tags text[], summary text
);
CREATE TYPE chunk_finding_row AS (
  chunk_id uuid, ordinal integer, code text, severity text, message text, method text, path text
);

-- The arguments of accept_scan_run, one for each concern. The request, and the run that it becomes.
CREATE TYPE scan_submission AS (
  scan_run_id uuid, created_by_key_id uuid, body_hash bytea, contract_version integer, idempotency_key text, promote boolean,
  -- The source belongs to the request, not to its body: the same body may come from another branch.
  scanned_at timestamptz, trace_parent text, source jsonb
);
-- Whether the key may create the service that the content names; update any that it names; update this one.
CREATE TYPE scan_grant AS (may_create boolean, may_update boolean, service_id uuid);
-- A body that was read: what it has besides its items, the service's id if that is new, and the content's chunks. All are null if
-- the body was not read.
CREATE TYPE scan_content AS (
  description jsonb, new_service_id uuid, snapshot_id uuid, endpoint_count integer, finding_count integer, endpoint_chunks uuid[],
  finding_chunks uuid[]
);
-- The chunks that were sent with the request, and their packed items with the size before compression.
CREATE TYPE sent_chunks AS (chunks uuid[], items bytea, items_bytes integer);
-- The size of the body, and the organization's limits of a day. Scans are counted if one of the limits is not null.
CREATE TYPE scan_limits AS (body_bytes bigint, scans_max bigint, bytes_max bigint);

-- One content of a scan. The lists are ordered, and may name a chunk several times.
CREATE TABLE snapshots (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  endpoint_chunks uuid[] NOT NULL,
  finding_chunks uuid[] NOT NULL,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  findings_by_severity jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  -- The counts of completed runs are checked against these.
  UNIQUE (organization_id, id, endpoint_count, finding_count)
);
-- Ids don't compress: don't let Postgres try.
ALTER TABLE snapshots ALTER COLUMN endpoint_chunks SET STORAGE EXTERNAL, ALTER COLUMN finding_chunks SET STORAGE EXTERNAL;

CREATE TABLE scan_runs (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('accepted', 'completed', 'failed')),
  spec_hash text NOT NULL,
  spec_format text NOT NULL,
  spec_version text,
  spec_title text,
  endpoint_count integer NOT NULL,
  finding_count integer NOT NULL,
  snapshot_id uuid,
  unchanged boolean NOT NULL DEFAULT false,
  -- Whether the run may become its service's current one.
  promote boolean NOT NULL,
  -- Null unless a request promoted it: when (at), the run that was current (previousRunId), and when the service had the content before
  -- (firstSeenAt, lastSeenAt). From these, undo_promotion restores what was.
  promotion jsonb,
  -- The receive time, or the client's Scanned-At if that is earlier. It decides which run is newer.
  ordered_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  completed_at timestamptz,
  error_code text,
  error_message text,
  created_by_key_id uuid NOT NULL,
  -- SHA-256 of the body as received, and the version of the contract that validated it. If the same bytes arrive again, their
  -- run is a copy of this one. Null for such copies.
  body_hash bytea CHECK (length(body_hash) = 32),
  contract_version integer NOT NULL,
  -- Where the description comes from, as the client says: branch, commit, pull request and more.
  source jsonb,
  -- Which gates its client judged it by, and what failed: gates, judgedByKeyId and judgedAt; null until that is sent.
  gates jsonb,
  -- A column of its own, because row-level security keeps ->> from using an index.
  branch text GENERATED ALWAYS AS (source ->> 'branch') STORED,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id),
  -- A completed run with wrong counts is impossible: a snapshot has the counts of its chunks' rows.
  FOREIGN KEY (organization_id, snapshot_id, endpoint_count, finding_count)
    REFERENCES snapshots (organization_id, id, endpoint_count, finding_count) ON DELETE RESTRICT,
  CHECK ((status = 'completed') = (snapshot_id IS NOT NULL)),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((status = 'failed') = (error_code IS NOT NULL AND error_message IS NOT NULL))
);
CREATE INDEX scan_runs_by_service ON scan_runs (organization_id, service_id, ordered_at, id);
CREATE INDEX scan_runs_by_branch ON scan_runs (organization_id, service_id, branch, ordered_at, id) WHERE branch IS NOT NULL;
-- For the foreign key's own check when an unused snapshot is deleted.
CREATE INDEX scan_runs_by_snapshot ON scan_runs (organization_id, snapshot_id) WHERE snapshot_id IS NOT NULL;
CREATE INDEX scan_runs_by_body ON scan_runs (organization_id, body_hash) WHERE body_hash IS NOT NULL;

-- The contents that a service's promoted runs had, and when. The times when an endpoint or a finding was first and last seen are derived
-- from it, so that no row is updated per item.
CREATE TABLE service_snapshots (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  snapshot_id uuid NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, service_id, snapshot_id),
  FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots (organization_id, id) ON DELETE RESTRICT
);
CREATE INDEX service_snapshots_by_snapshot ON service_snapshots (organization_id, snapshot_id);

-- When a service first had an item, if that was in a content that is deleted now, and the item is in another one that is stored.
CREATE TABLE seen_items (
  organization_id uuid NOT NULL,
  service_id uuid NOT NULL,
  -- See endpoint_key and finding_key.
  item uuid NOT NULL,
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, service_id, item),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);

-- The outbox: one row per accepted run, deleted when the run is completed. A failed run's row stays for inspection.
CREATE TABLE scan_payloads (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  -- The content that the run will be completed with.
  snapshot_id uuid NOT NULL,
  endpoint_chunks uuid[] NOT NULL,
  finding_chunks uuid[] NOT NULL,
  -- The items of the chunks that were not stored when the run was accepted, as JSON, packed and compressed by the api.
  items bytea NOT NULL,
  -- Their size before compression, so that a batch can be limited before decompressing anything.
  items_bytes integer NOT NULL,
  -- When a worker may claim it: now, or at the end of a lease or of a pause between attempts. Null for a failed run.
  available_at timestamptz DEFAULT now(),
  -- The number of claims. Also the fencing token: a worker with an older number can't write.
  attempts integer NOT NULL DEFAULT 0,
  -- The number of `attempts` that failed because the database was unavailable, full or too slow.
  attempts_excused integer NOT NULL DEFAULT 0,
  last_error text,
  -- The W3C traceparent of the request; null if it is not traced.
  trace_parent text,
  PRIMARY KEY (organization_id, scan_run_id)
) WITH (
  -- The table is a queue with short-lived rows, so autovacuum goes by their number, not their share, also for large values.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000
);
ALTER TABLE scan_payloads ALTER COLUMN items SET STORAGE EXTERNAL,
  ALTER COLUMN endpoint_chunks SET STORAGE EXTERNAL, ALTER COLUMN finding_chunks SET STORAGE EXTERNAL;
CREATE INDEX scan_payloads_due ON scan_payloads (organization_id, available_at) WHERE available_at IS NOT NULL;

-- The run that an Idempotency-Key created, for 24 hours.
CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  key text NOT NULL,
  -- SHA-256 of the body as received.
  body_hash bytea NOT NULL,
  scan_run_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, key)
);

-- A part of the texts of descriptions. The id is the first half of SHA-256 over it. Only functions with their owner's rights write it.
CREATE TABLE description_chunks (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  -- Before compression with zstd.
  size integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (organization_id, id)
);
ALTER TABLE description_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The description behind scans, by SHA-256 of its text. The lists are ordered, and may name a chunk several times.
CREATE TABLE descriptions (
  organization_id uuid NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  format text NOT NULL CHECK (format IN ('json', 'yaml')),
  size integer NOT NULL,
  chunks uuid[] NOT NULL,
  -- Its content as JSON without white space and with sorted keys.
  canonical_hash bytea NOT NULL CHECK (length(canonical_hash) = 32),
  canonical_size integer NOT NULL,
  -- Null if the text is canonical.
  canonical_chunks uuid[],
  -- SHA-256 over the methods and paths of its operations, sorted.
  operations_hash bytea NOT NULL CHECK (length(operations_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, hash)
);
ALTER TABLE descriptions ALTER COLUMN chunks SET STORAGE EXTERNAL, ALTER COLUMN canonical_chunks SET STORAGE EXTERNAL;

-- The description that a run was scanned from.
CREATE TABLE scan_run_descriptions (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  description_hash bytea NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, scan_run_id),
  FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, description_hash) REFERENCES descriptions (organization_id, hash) ON DELETE RESTRICT
);
CREATE INDEX scan_run_descriptions_by_description ON scan_run_descriptions (organization_id, description_hash);

-- The comparison of a run's description with that of the run before it in the history of its service. No row if both are equal.
CREATE TABLE scan_comparisons (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  -- The run before it when it was compared, which retention may delete. If another one is before it now, the comparison is outdated.
  base_run_id uuid NOT NULL,
  base_ordered_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('compared', 'too_large', 'failed')),
  -- The version of the rules.
  engine integer NOT NULL,
  breaking integer NOT NULL DEFAULT 0,
  maybe integer NOT NULL DEFAULT 0,
  safe integer NOT NULL DEFAULT 0,
  not_compared jsonb NOT NULL DEFAULT '[]',
  -- The most severe verdicts first, 50 in each part: JSON, compressed.
  verdict_count integer NOT NULL DEFAULT 0,
  verdict_parts bytea[] NOT NULL DEFAULT '{}',
  -- Those of the verdicts that can be approved.
  fingerprints text[] NOT NULL DEFAULT '{}',
  compared_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, scan_run_id),
  FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs (organization_id, id) ON DELETE CASCADE
);

CREATE INDEX scan_comparisons_by_time ON scan_comparisons (organization_id, compared_at);
-- For the comparisons by rules of older versions.
CREATE INDEX scan_comparisons_by_engine ON scan_comparisons (organization_id, engine);

-- A run whose comparison waits for a worker. The row is deleted when the comparison is stored.
CREATE TABLE scan_comparison_tasks (
  organization_id uuid NOT NULL,
  scan_run_id uuid NOT NULL,
  -- Rises with each request, so that one that comes while a worker compares is not lost.
  requested integer NOT NULL DEFAULT 1,
  -- When a worker may claim it: now, or at the end of a lease or of a pause between attempts.
  available_at timestamptz NOT NULL DEFAULT now(),
  -- The number of claims. Also the fencing token: a worker with an older number can't write.
  attempts integer NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, scan_run_id),
  FOREIGN KEY (organization_id, scan_run_id) REFERENCES scan_runs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX scan_comparison_tasks_due ON scan_comparison_tasks (organization_id, available_at);

-- An approval of a change of a service's description: the change passes gates, until it is current.
CREATE TABLE change_approvals (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  service_id uuid NOT NULL,
  fingerprint text NOT NULL CHECK (fingerprint ~ '^[0-9a-f]{32}$'),
  reason text NOT NULL,
  -- The last day on which it holds, in UTC. Null: until the change is current.
  until date,
  -- The run that it was given for, which may be deleted.
  scan_run_id uuid,
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The run with which the change became current.
  used_by_run_id uuid,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id),
  FOREIGN KEY (organization_id, used_by_run_id) REFERENCES scan_runs (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX change_approvals_open ON change_approvals (organization_id, service_id, fingerprint) WHERE used_by_run_id IS NULL;
CREATE INDEX change_approvals_by_service ON change_approvals (organization_id, service_id, id);
CREATE INDEX change_approvals_by_run ON change_approvals (organization_id, used_by_run_id) WHERE used_by_run_id IS NOT NULL;

ALTER TABLE services ENABLE ROW LEVEL SECURITY;
-- Nobody but the worker's function that deletes its data sees a deleted service.
CREATE POLICY services_own ON services USING (organization_id = (SELECT current_organization_id()) AND deleted_at IS NULL);
ALTER TABLE service_aliases ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_aliases_own ON service_aliases USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunks_own ON chunks USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE chunk_endpoints ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunk_endpoints_own ON chunk_endpoints USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE chunk_findings ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunk_findings_own ON chunk_findings USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY snapshots_own ON snapshots USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE scan_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_runs_own ON scan_runs USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE service_snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY service_snapshots_own ON service_snapshots USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE seen_items ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen_items_own ON seen_items USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE scan_payloads ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_payloads_own ON scan_payloads USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY idempotency_keys_own ON idempotency_keys USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE description_chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY description_chunks_own ON description_chunks USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE descriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY descriptions_own ON descriptions USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE scan_run_descriptions ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_run_descriptions_own ON scan_run_descriptions
  USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE scan_comparisons ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_comparisons_own ON scan_comparisons USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE scan_comparison_tasks ENABLE ROW LEVEL SECURITY;
CREATE POLICY scan_comparison_tasks_own ON scan_comparison_tasks USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE change_approvals ENABLE ROW LEVEL SECURITY;
CREATE POLICY change_approvals_own ON change_approvals USING (organization_id = (SELECT current_organization_id()));

-- Prevents changing or deleting stored content while something refers to it, for every role.

CREATE FUNCTION keep_rows_of_chunks() RETURNS trigger
LANGUAGE plpgsql
SET search_path = public, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT FROM gone JOIN chunks c ON c.organization_id = gone.organization_id AND c.id = gone.chunk_id) THEN
    RAISE EXCEPTION 'rows of a stored chunk are neither changed nor deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION keep_chunks_of_snapshots() RETURNS trigger
LANGUAGE plpgsql
SET search_path = public, pg_temp
AS $$
BEGIN
  -- An upsert fires it too, having changed nothing.
  IF NOT EXISTS (SELECT FROM gone) THEN
    RETURN NULL;
  END IF;
  -- Not a join: its plan would be kept, for one chunk as for thousands.
  IF EXISTS (
    SELECT organization_id, id FROM gone
    INTERSECT
    SELECT n.organization_id, unnest(n.endpoint_chunks || n.finding_chunks) FROM snapshots n
    WHERE n.organization_id IN (SELECT organization_id FROM gone)
  ) THEN
    RAISE EXCEPTION 'chunks of a stored snapshot are neither changed nor deleted' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION refuse_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: it has stored content', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER kept_from_delete AFTER DELETE ON chunk_endpoints REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
CREATE TRIGGER kept_from_update AFTER UPDATE ON chunk_endpoints REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON chunk_endpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_from_delete AFTER DELETE ON chunk_findings REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
CREATE TRIGGER kept_from_update AFTER UPDATE ON chunk_findings REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_rows_of_chunks();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON chunk_findings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_from_delete AFTER DELETE ON chunks REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_chunks_of_snapshots();
CREATE TRIGGER kept_from_update AFTER UPDATE ON chunks REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_chunks_of_snapshots();
CREATE TRIGGER kept_from_truncate BEFORE TRUNCATE ON chunks
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER kept_from_update BEFORE UPDATE OF organization_id, id, endpoint_chunks, finding_chunks, endpoint_count,
  finding_count, findings_by_severity ON snapshots
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
