-- The operations that journeys call and the criteria that they promise, and what runs have shown of both.

-- Replaces what a journey calls and promises. Documents are named by their paths; one that is not stored is left out.
CREATE OR REPLACE FUNCTION replace_journey_contents(
  p_organization_id uuid, p_document_id uuid, p_operations jsonb, p_criteria jsonb
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  -- One at a time.
  PERFORM FROM journey_documents d WHERE d.organization_id = p_organization_id AND d.id = p_document_id FOR NO KEY UPDATE;
  DELETE FROM journey_operations o WHERE o.organization_id = p_organization_id AND o.document_id = p_document_id;
  DELETE FROM journey_criteria c WHERE c.organization_id = p_organization_id AND c.document_id = p_document_id;
  INSERT INTO journey_operations (organization_id, document_id, ordinal, source, source_document_id, method, path, path_key,
                                  operation_id)
  SELECT p_organization_id, p_document_id, o.ordinal - 1, o.item->>'source', d.id, o.item->>'method', o.item->>'path',
         o.item->>'pathKey', o.item->>'operationId'
  FROM jsonb_array_elements(p_operations) WITH ORDINALITY o (item, ordinal)
  JOIN journey_documents d
    ON d.organization_id = p_organization_id AND d.path = o.item->>'sourcePath' AND d.archived_at IS NULL;
  INSERT INTO journey_criteria (organization_id, document_id, owner_document_id, criterion_id, severity, description, proven_by)
  SELECT p_organization_id, p_document_id, d.id, c.item->>'id', c.item->>'severity', c.item->>'text',
         ARRAY(SELECT jsonb_array_elements_text(c.item->'provenBy'))
  FROM jsonb_array_elements(p_criteria) c (item)
  JOIN journey_documents d
    ON d.organization_id = p_organization_id AND d.path = c.item->>'ownerPath' AND d.archived_at IS NULL
  ON CONFLICT DO NOTHING;
END
$$;

-- Binds descriptions to the service whose current scan was made from the same bytes as one of their versions; where a service is
-- named, also to one of its earlier scans. Archived services are left out. A binding stays when the description or the service moves on,
-- but one by bytes to an archived service makes room for a service that is not.
CREATE OR REPLACE FUNCTION bind_sources(p_organization_id uuid, p_service_id uuid) RETURNS void
LANGUAGE sql
AS $$
  WITH unbound AS MATERIALIZED (
    SELECT d.id FROM journey_documents d
    WHERE d.organization_id = p_organization_id AND d.kind = 'openapi' AND d.archived_at IS NULL AND NOT EXISTS (
      SELECT FROM source_bindings b
      JOIN services s ON s.organization_id = b.organization_id AND s.id = b.service_id
      WHERE b.organization_id = d.organization_id AND b.document_id = d.id AND (b.how <> 'spec-hash' OR s.archived_at IS NULL))
  ), scanned AS MATERIALIZED (
    SELECT s.id AS service_id, r.spec_hash, r.ordered_at
    FROM services s
    JOIN scan_runs r ON r.organization_id = s.organization_id AND r.id = s.current_run_id
    WHERE s.organization_id = p_organization_id AND s.archived_at IS NULL AND p_service_id IS NULL AND EXISTS (SELECT FROM unbound)
    UNION ALL
    SELECT r.service_id, r.spec_hash, r.ordered_at
    FROM services s
    JOIN scan_runs r ON r.organization_id = s.organization_id AND r.service_id = s.id
    WHERE s.organization_id = p_organization_id AND s.id = p_service_id AND s.archived_at IS NULL
      AND r.status = 'completed' AND r.promote AND EXISTS (SELECT FROM unbound)
  )
  INSERT INTO source_bindings AS b (organization_id, document_id, service_id, how)
  SELECT DISTINCT ON (u.id) p_organization_id, u.id, s.service_id, 'spec-hash'
  FROM unbound u
  JOIN journey_document_versions v ON v.organization_id = p_organization_id AND v.document_id = u.id
  JOIN scanned s ON s.spec_hash = encode(v.blob_hash, 'hex')
  ORDER BY u.id, s.ordered_at DESC, s.service_id
  ON CONFLICT (organization_id, document_id) DO UPDATE
  SET service_id = excluded.service_id, bound_at = now()
  WHERE b.how = 'spec-hash'
$$;

-- Takes over the verdicts of a run that has ended. An older version's run never replaces a newer one's, whenever it ended. Rows
-- are locked in the order of their keys.
CREATE OR REPLACE FUNCTION count_run_criteria(p_run journey_runs) RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO journey_criterion_verdicts AS v (organization_id, owner_document_id, criterion_id, document_id, environment_id,
    origin, document_version, artifact_hash, status, run_id, ended_at)
  SELECT c.organization_id, c.owner_document_id, c.criterion_id, p_run.document_id, p_run.environment_id, p_run.origin,
         p_run.document_version, p_run.artifact_hash, c.status, p_run.id, p_run.ended_at
  FROM journey_run_criteria c
  WHERE c.organization_id = p_run.organization_id AND c.run_id = p_run.id AND c.status IN ('proven', 'failed', 'unproven')
  ORDER BY c.owner_document_id, c.criterion_id
  ON CONFLICT (organization_id, owner_document_id, criterion_id, document_id, environment_id, origin) DO UPDATE
  SET document_version = excluded.document_version, artifact_hash = excluded.artifact_hash, status = excluded.status,
      run_id = excluded.run_id, ended_at = excluded.ended_at
  WHERE (v.document_version, v.ended_at) <= (excluded.document_version, excluded.ended_at)
$$;

-- Takes over the calls of a run that has ended: adds to those of the same artifact, replaces those of an older one.
CREATE OR REPLACE FUNCTION count_run_operations(p_run journey_runs) RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO journey_operation_calls AS k (organization_id, source_document_id, method, path_key, document_id, environment_id,
    origin, document_version, artifact_hash, path, operation_id, calls, statuses, called_at, asserted_at, run_id)
  SELECT p_run.organization_id, b.source_document_id, b.method, b.path_key, p_run.document_id, p_run.environment_id,
         p_run.origin, p_run.document_version, p_run.artifact_hash, min(b.path), min(b.operation_id), sum(o.calls),
         -- Arrays of different lengths can't be aggregated.
         ARRAY(SELECT DISTINCT s.status::integer AS status
               FROM unnest(string_to_array(string_agg(array_to_string(o.statuses, ' '), ' '), ' ')) s (status)
               WHERE s.status <> '' ORDER BY status),
         p_run.ended_at, max(p_run.ended_at) FILTER (WHERE o.asserted), p_run.id
  FROM journey_run_operations o
  JOIN build_operations b
    ON b.organization_id = o.organization_id AND b.artifact_hash = p_run.artifact_hash
      AND b.source = o.source AND b.method = o.method AND b.path = o.path
  WHERE o.organization_id = p_run.organization_id AND o.run_id = p_run.id AND o.calls > 0
    AND b.source_document_id IS NOT NULL
  GROUP BY b.source_document_id, b.method, b.path_key
  ORDER BY b.source_document_id, b.method, b.path_key
  ON CONFLICT (organization_id, source_document_id, method, path_key, document_id, environment_id, origin) DO UPDATE
  SET (document_version, artifact_hash, path, operation_id, calls, statuses, called_at, asserted_at, run_id) = (
    SELECT excluded.document_version, excluded.artifact_hash, excluded.path, excluded.operation_id,
           excluded.calls + coalesce(same.calls, 0),
           ARRAY(SELECT DISTINCT s.status FROM unnest(excluded.statuses || same.statuses) s (status) ORDER BY s.status),
           greatest(excluded.called_at, same.called_at), greatest(excluded.asserted_at, same.asserted_at), excluded.run_id
    FROM (SELECT) one
    LEFT JOIN (SELECT k.calls, k.statuses, k.called_at, k.asserted_at) same ON k.artifact_hash = excluded.artifact_hash)
  WHERE k.artifact_hash = excluded.artifact_hash
    OR (k.document_version, k.called_at) <= (excluded.document_version, excluded.called_at)
$$;
