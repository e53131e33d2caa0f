-- Accepting, claiming, writing and ending runs of journeys.

-- The limit that another run of the organization would exceed: how many wait, or were started in the last hour. Null for none.
-- Until the end of its transaction no other run of the organization is counted, so that requests at the same moment can't exceed it.
CREATE OR REPLACE FUNCTION exceeded_journey_run_limit(p_organization_id uuid, p_waiting_max integer, p_hourly_max integer)
RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('start journey_runs ' || p_organization_id, 0));
  IF (SELECT count(*) FROM (
        SELECT FROM journey_run_tickets t
        WHERE t.organization_id = p_organization_id AND NOT t.is_claimed LIMIT p_waiting_max) waiting) >= p_waiting_max THEN
    RETURN 'journeyRunsWaiting';
  END IF;
  IF (SELECT count(*) FROM (
        SELECT FROM journey_runs r
        WHERE r.organization_id = p_organization_id AND r.created_at > now() - interval '1 hour' AND r.origin = 'cloud'
        LIMIT p_hourly_max) started) >= p_hourly_max THEN
    RETURN 'journeyRunsPerHour';
  END IF;
  RETURN NULL;
END
$$;

-- Leases due runs of ONE organization: the next after p_after_organization_id, in a cycle, so that an organization with many
-- runs delays another's by one claim. An organization that has p_running_max runs in work is passed over; runs that only have to be
-- ended (cancelled or expired before they began) are claimed all the same. With p_limit 0 only such runs are. The round through
-- the organizations is written out as in claim_scan_runs, because each uses its own table's index.
CREATE OR REPLACE FUNCTION claim_journey_runs(
  p_after_organization_id uuid, p_limit integer, p_running_max integer, p_lease interval
) RETURNS TABLE (
  organization_id uuid, run_id uuid, attempt integer, lost_workers integer, is_cancelled boolean, to_end text
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
SET random_page_cost = 0
AS $$
DECLARE
  v_after uuid := p_after_organization_id;
  v_organization_id uuid;
  v_is_second_round boolean := false;
  v_has_waited boolean := false;
  v_room integer;
  v_claimed record;
BEGIN
  LOOP
    SELECT t.organization_id INTO v_organization_id FROM journey_run_tickets t
    WHERE t.available_at <= now() AND t.organization_id > v_after
    ORDER BY t.organization_id, t.available_at
    LIMIT 1;
    IF v_organization_id IS NULL THEN
      EXIT WHEN v_is_second_round;
      v_is_second_round := true;
      v_after := '00000000-0000-0000-0000-000000000000';
      CONTINUE;
    END IF;
    v_after := v_organization_id;

    -- One claim of an organization at a time, so that two can't both take its last room. Waiting for more than one could be a
    -- deadlock: a further organization that another claim has is left to that one.
    IF NOT v_has_waited THEN
      PERFORM pg_advisory_xact_lock(hashtextextended('claim journey_runs ' || v_organization_id, 0));
      v_has_waited := true;
    ELSIF NOT pg_try_advisory_xact_lock(hashtextextended('claim journey_runs ' || v_organization_id, 0)) THEN
      CONTINUE;
    END IF;

    v_room := least(p_limit, p_running_max - (
      SELECT count(*) FROM journey_run_tickets t
      WHERE t.organization_id = v_organization_id AND t.available_at > now() AND t.is_claimed));
    FOR v_claimed IN
      WITH due AS (
        SELECT t.run_id, t.available_at,
               -- One that a worker had is torn down, or goes on from its checkpoint.
               CASE WHEN t.is_claimed OR t.losses > 0 OR t.checkpoint IS NOT NULL THEN NULL
                    WHEN t.cancel_requested_at IS NOT NULL THEN 'cancelled'
                    WHEN t.expires_at <= now() THEN 'queue-expired' END AS to_end
        FROM journey_run_tickets t
        WHERE t.organization_id = v_organization_id AND t.available_at <= now()
      ), chosen AS (
        SELECT d.run_id, d.to_end FROM due d WHERE d.to_end IS NOT NULL
        UNION ALL
        (SELECT d.run_id, d.to_end FROM due d WHERE d.to_end IS NULL
         ORDER BY d.available_at, d.run_id LIMIT greatest(v_room, 0))
      )
      SELECT t.run_id, t.is_claimed, c.to_end
      FROM chosen c
      JOIN journey_run_tickets t ON t.organization_id = v_organization_id AND t.run_id = c.run_id
      WHERE t.available_at <= now()
      FOR UPDATE OF t SKIP LOCKED
    LOOP
      RETURN QUERY
        WITH ticket AS (
          UPDATE journey_run_tickets t
          SET attempts = t.attempts + 1, is_claimed = true, losses = t.losses + v_claimed.is_claimed::integer,
              available_at = now() + p_lease
          WHERE t.organization_id = v_organization_id AND t.run_id = v_claimed.run_id
          RETURNING t.attempts, t.losses, t.cancel_requested_at IS NOT NULL AS is_cancelled
        ), run AS (
          UPDATE journey_runs r
          SET status = 'running', started_at = coalesce(r.started_at, now()),
              phase = CASE WHEN v_claimed.is_claimed THEN 'recovery' ELSE r.phase END
          WHERE r.organization_id = v_organization_id AND r.id = v_claimed.run_id AND v_claimed.to_end IS NULL
        )
        SELECT v_organization_id, v_claimed.run_id, ticket.attempts, ticket.losses, ticket.is_cancelled, v_claimed.to_end FROM ticket;
    END LOOP;
    EXIT WHEN FOUND;
  END LOOP;
END
$$;

-- Extends the leases of those of these runs that the caller still holds, and says which of them are to be cancelled.
CREATE OR REPLACE FUNCTION renew_journey_runs(
  p_organization_ids uuid[], p_run_ids uuid[], p_attempts integer[], p_lease interval
) RETURNS TABLE (run_id uuid, is_cancelled boolean)
LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
  UPDATE journey_run_tickets t SET available_at = now() + p_lease
  FROM (
    SELECT held.organization_id, held.run_id
    FROM unnest(p_organization_ids, p_run_ids, p_attempts) AS claimed (organization_id, run_id, attempt)
    JOIN journey_run_tickets held
      ON held.organization_id = claimed.organization_id AND held.run_id = claimed.run_id AND held.attempts = claimed.attempt
    WHERE held.is_claimed
    ORDER BY held.organization_id, held.run_id
    FOR UPDATE OF held
  ) held
  WHERE t.organization_id = held.organization_id AND t.run_id = held.run_id
  RETURNING t.run_id, t.cancel_requested_at IS NOT NULL
$$;

-- Locks a run's ticket for the caller that holds it. False for one that lost it.
CREATE OR REPLACE FUNCTION hold_journey_run(p_organization_id uuid, p_run_id uuid, p_attempt integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  PERFORM FROM journey_run_tickets t
  WHERE t.organization_id = p_organization_id AND t.run_id = p_run_id AND t.attempts = p_attempt AND t.is_claimed
  FOR UPDATE;
  RETURN FOUND;
END
$$;

-- Returns everything that a worker needs to carry out its run, with the run's steps as they were written. Returns no
-- row to a worker that lost the run.
CREATE OR REPLACE FUNCTION find_journey_run_work(p_organization_id uuid, p_run_id uuid, p_attempt integer)
RETURNS TABLE (
  artifact bytea, environment_id uuid, allowed_hosts text[], stores_bodies boolean, inputs text, seed text,
  strict_contract boolean, checkpoint bytea, trace_parent text, step_results text[], step_evidence text[], is_allowed boolean
)
LANGUAGE plpgsql ROWS 1
AS $$
BEGIN
  PERFORM set_config('waymark.organization_id', p_organization_id::text, true);
  RETURN QUERY
    SELECT b.bytes, r.environment_id, e.allowed_hosts, e.stores_bodies, r.inputs, r.seed, r.strict_contract, t.checkpoint,
           t.trace_parent, s.results, s.evidence,
           -- The environment may have been protected, or the release replaced, while the run waited.
           NOT e.is_protected OR EXISTS (
             SELECT FROM journey_releases l
             WHERE l.organization_id = r.organization_id AND l.environment_id = r.environment_id
               AND l.document_id = r.document_id AND l.artifact_hash = r.artifact_hash)
    FROM journey_run_tickets t
    JOIN journey_runs r ON r.organization_id = t.organization_id AND r.id = t.run_id
    JOIN blobs b ON b.organization_id = r.organization_id AND b.hash = r.artifact_hash
    JOIN environments e ON e.organization_id = r.organization_id AND e.id = r.environment_id
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(w.result ORDER BY w.seq), '{}') AS results,
             coalesce(array_agg(w.evidence ORDER BY w.seq), '{}') AS evidence
      FROM journey_run_steps w WHERE w.organization_id = t.organization_id AND w.run_id = t.run_id
    ) s
    WHERE t.organization_id = p_organization_id AND t.run_id = p_run_id AND t.attempts = p_attempt AND t.is_claimed;
END
$$;

-- Stores steps; one that is there already is replaced, because a value in it may have turned out to be a secret.
CREATE OR REPLACE FUNCTION store_journey_steps(
  p_organization_id uuid, p_run_id uuid, p_attempt integer, p_steps journey_run_steps[]
) RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO journey_run_steps AS s
  SELECT p_organization_id, p_run_id, w.seq, p_attempt, w.step_id, w.phase, w.workflow, w.status, w.ms, w.result, w.evidence
  FROM unnest(p_steps) w
  ON CONFLICT (organization_id, run_id, seq) DO UPDATE
  SET attempt = excluded.attempt, step_id = excluded.step_id, phase = excluded.phase, workflow = excluded.workflow,
      status = excluded.status, ms = excluded.ms, result = excluded.result, evidence = excluded.evidence
$$;

-- Writes what happened since the last time: steps, the step that has begun, and the state to go on from, all or nothing. Returns
-- false, and writes nothing, for a caller that has lost the run.
CREATE OR REPLACE FUNCTION write_journey_progress(
  p_organization_id uuid, p_run_id uuid, p_attempt integer, p_steps journey_run_steps[], p_current_step text, p_checkpoint bytea
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT hold_journey_run(p_organization_id, p_run_id, p_attempt) THEN
    RETURN false;
  END IF;
  PERFORM store_journey_steps(p_organization_id, p_run_id, p_attempt, p_steps);
  IF p_checkpoint IS NOT NULL THEN
    UPDATE journey_run_tickets t SET checkpoint = p_checkpoint WHERE t.organization_id = p_organization_id AND t.run_id = p_run_id;
  END IF;
  UPDATE journey_runs r SET current_step = p_current_step
  WHERE r.organization_id = p_organization_id AND r.id = p_run_id AND r.current_step IS DISTINCT FROM p_current_step;
  RETURN true;
END
$$;

-- Gives a run back that goes on from its checkpoint in another worker, or from its beginning where it has none.
CREATE OR REPLACE FUNCTION release_journey_run(p_organization_id uuid, p_run_id uuid, p_attempt integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT hold_journey_run(p_organization_id, p_run_id, p_attempt) THEN
    RETURN false;
  END IF;
  UPDATE journey_run_tickets t SET is_claimed = false, available_at = now()
  WHERE t.organization_id = p_organization_id AND t.run_id = p_run_id;
  UPDATE journey_runs r SET status = 'queued', current_step = NULL
  WHERE r.organization_id = p_organization_id AND r.id = p_run_id;
  RETURN true;
END
$$;

-- Ends a run with its result, and deletes its ticket. The steps are those that were not written before. Returns false, and
-- writes nothing, for a caller that has lost the run.
CREATE OR REPLACE FUNCTION finish_journey_run(
  p_organization_id uuid, p_run_id uuid, p_attempt integer, p_end journey_run_end
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  IF NOT hold_journey_run(p_organization_id, p_run_id, p_attempt) THEN
    RETURN false;
  END IF;
  PERFORM end_journey_run(p_organization_id, p_run_id, p_attempt, p_end);
  RETURN true;
END
$$;

-- Stores an uploaded result as a run that has ended. p_run has the columns of the run. Returns false, and writes nothing, if
-- there is a run with this id.
CREATE OR REPLACE FUNCTION store_uploaded_run(
  p_organization_id uuid, p_run_id uuid, p_attempt integer, p_end journey_run_end, p_run jsonb, p_artifact_hash bytea,
  p_request_hash bytea
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO journey_runs (organization_id, id, document_id, document_version, environment_id, environment_revision,
                            artifact_hash, program_id, origin, trigger, status, inputs, seed, strict_contract, ci,
                            created_by_key_id, request_hash, started_at)
  VALUES (p_organization_id, p_run_id, (p_run->>'documentId')::uuid, (p_run->>'documentVersion')::integer,
          (p_run->>'environmentId')::uuid, (p_run->>'environmentRevision')::integer, p_artifact_hash, p_run->>'programId',
          'uploaded', p_run->>'trigger', 'running', p_run->>'inputs', p_run->>'seed', (p_run->>'strictContract')::boolean, p_run->'ci',
          (p_run->>'keyId')::uuid, p_request_hash, (p_run->>'startedAt')::timestamptz)
  ON CONFLICT (organization_id, id) DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM end_journey_run(p_organization_id, p_run_id, p_attempt, p_end);
  RETURN true;
END
$$;

-- Writes the end of a run, whoever carried it out: the one way in which a run becomes final.
CREATE OR REPLACE FUNCTION end_journey_run(
  p_organization_id uuid, p_run_id uuid, p_attempt integer, p_end journey_run_end
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM store_blobs(p_organization_id, ARRAY[p_end.result_hash], ARRAY[p_end.result_size], ARRAY[p_end.result]);
  PERFORM store_journey_steps(p_organization_id, p_run_id, p_attempt, p_end.steps);
  INSERT INTO journey_run_operations
  SELECT p_organization_id, p_run_id, o.ordinal - 1, o.item->>'source', o.item->>'method', o.item->>'path',
         (o.item->>'calls')::integer, ARRAY(SELECT jsonb_array_elements_text(o.item->'statuses')::integer),
         (o.item->>'asserted')::boolean
  FROM jsonb_array_elements(p_end.operations) WITH ORDINALITY o (item, ordinal);
  -- The build knows which document declares a criterion.
  INSERT INTO journey_run_criteria
  SELECT p_organization_id, p_run_id, b.owner_document_id, b.criterion_id, c.item->>'status'
  FROM jsonb_array_elements(p_end.criteria) c (item)
  JOIN journey_runs r ON r.organization_id = p_organization_id AND r.id = p_run_id
  JOIN build_criteria b ON b.organization_id = p_organization_id AND b.artifact_hash = r.artifact_hash
    AND b.criterion_id = c.item->>'id';
  DELETE FROM journey_run_tickets t WHERE t.organization_id = p_organization_id AND t.run_id = p_run_id;
  UPDATE journey_runs r
  SET status = p_end.outcome->>'status', current_step = NULL, result_hash = p_end.result_hash,
      step_count = (p_end.outcome->>'stepCount')::integer, passed_step_count = (p_end.outcome->>'passedStepCount')::integer,
      error_code = p_end.outcome->>'errorCode', error_message = p_end.outcome->>'errorMessage',
      in_doubt_step = p_end.outcome->>'inDoubtStep', outcome_digest = p_end.outcome->>'outcomeDigest',
      -- An uploaded run ended earlier, as its uploader says.
      ended_at = least(now(), (p_end.outcome->>'endedAt')::timestamptz)
  WHERE r.organization_id = p_organization_id AND r.id = p_run_id;
END
$$;

-- Asks for the end of a run. One that no worker has becomes due at once. Returns its status, or null if there is none.
CREATE OR REPLACE FUNCTION cancel_journey_run(p_organization_id uuid, p_run_id uuid) RETURNS text
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE journey_run_tickets t
  SET cancel_requested_at = coalesce(t.cancel_requested_at, now()),
      available_at = CASE WHEN t.is_claimed THEN t.available_at ELSE now() END
  WHERE t.organization_id = p_organization_id AND t.run_id = p_run_id;
  RETURN (SELECT r.status FROM journey_runs r WHERE r.organization_id = p_organization_id AND r.id = p_run_id);
END
$$;

-- The last step that was written of each of these runs, -1 if there is none, and whether the run has ended: what the requests of
-- all organizations that wait for runs need to know. A run that does not exist is left out.
CREATE OR REPLACE FUNCTION read_journey_run_progress(p_organization_ids uuid[], p_run_ids uuid[])
RETURNS TABLE (run_id uuid, last_seq integer, is_ended boolean)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10
SET search_path = public, pg_temp
AS $$
  SELECT r.id, coalesce((
           SELECT s.seq FROM journey_run_steps s
           WHERE s.organization_id = w.organization_id AND s.run_id = w.run_id ORDER BY s.seq DESC LIMIT 1), -1),
         r.ended_at IS NOT NULL
  FROM unnest(p_organization_ids, p_run_ids) AS w (organization_id, run_id)
  JOIN journey_runs r ON r.organization_id = w.organization_id AND r.id = w.run_id
$$;

-- How many runs are unfinished, across organizations, how many of them wait, and for how long a worker could have taken the oldest:
-- an organization's runs beyond those that it may have at work are not counted for that. It counts at most p_limit runs.
CREATE OR REPLACE FUNCTION sample_journey_backlog(p_limit integer, p_running_max integer)
RETURNS TABLE (unfinished integer, waiting integer, oldest_waiting_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
  WITH ticket AS MATERIALIZED (
    SELECT t.organization_id, t.available_at, t.is_claimed FROM journey_run_tickets t LIMIT p_limit
  ), busy AS (
    SELECT b.organization_id FROM ticket b WHERE b.is_claimed AND b.available_at > now()
    GROUP BY b.organization_id HAVING count(*) >= p_running_max
  )
  SELECT count(*)::integer, (count(*) FILTER (WHERE NOT t.is_claimed))::integer,
         coalesce(extract(epoch FROM now() - min(t.available_at) FILTER (
           WHERE t.available_at <= now() AND t.organization_id NOT IN (SELECT b.organization_id FROM busy b))), 0)::double precision
  FROM ticket t
$$;

-- Deletes the evidence of up to p_limit runs that ended more than p_days ago. Returns of how many.
CREATE OR REPLACE FUNCTION delete_old_evidence(p_organization_id uuid, p_days integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_ids uuid[] := list_old_journey_runs(p_organization_id, '{evidence}', p_days, p_limit);
BEGIN
  UPDATE journey_run_steps s SET evidence = NULL
  WHERE s.organization_id = p_organization_id AND s.run_id = ANY (v_ids) AND s.evidence IS NOT NULL;
  UPDATE journey_runs r SET kept = 'result' WHERE r.organization_id = p_organization_id AND r.id = ANY (v_ids);
  RETURN cardinality(v_ids);
END
$$;

-- Deletes the steps and the result of up to p_limit runs that ended more than p_days ago. Returns of how many.
CREATE OR REPLACE FUNCTION delete_old_journey_results(p_organization_id uuid, p_days integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_ids uuid[] := list_old_journey_runs(p_organization_id, '{evidence,result}', p_days, p_limit);
  v_hashes bytea[] := hashes_of_journey_runs(p_organization_id, v_ids);
BEGIN
  DELETE FROM journey_run_steps s WHERE s.organization_id = p_organization_id AND s.run_id = ANY (v_ids);
  UPDATE journey_runs r SET kept = 'run', result_hash = NULL
  WHERE r.organization_id = p_organization_id AND r.id = ANY (v_ids);
  PERFORM collect_blobs(p_organization_id, v_hashes);
  RETURN cardinality(v_ids);
END
$$;

-- Locks up to p_limit runs that ended more than p_days ago and of which so much is kept.
CREATE OR REPLACE FUNCTION list_old_journey_runs(p_organization_id uuid, p_kept text[], p_days integer, p_limit integer)
RETURNS uuid[]
LANGUAGE sql
AS $$
  SELECT ARRAY(
    SELECT r.id FROM journey_runs r
    WHERE r.organization_id = p_organization_id AND r.kept = ANY (p_kept) AND r.ended_at < now() - p_days * interval '1 day'
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED)
$$;

-- The contents that these runs refer to.
CREATE OR REPLACE FUNCTION hashes_of_journey_runs(p_organization_id uuid, p_ids uuid[]) RETURNS bytea[]
LANGUAGE sql STABLE
AS $$
  SELECT ARRAY(
    SELECT h.hash FROM journey_runs r CROSS JOIN LATERAL unnest(ARRAY[r.artifact_hash, r.result_hash]) AS h (hash)
    WHERE r.organization_id = p_organization_id AND r.id = ANY (p_ids) AND h.hash IS NOT NULL)
$$;

-- Deletes up to p_limit runs that ended more than p_days ago, with all that belongs to them. Returns how many.
CREATE OR REPLACE FUNCTION delete_old_journey_runs(p_organization_id uuid, p_days integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_ids uuid[] := list_old_journey_runs(p_organization_id, '{evidence,result,run}', p_days, p_limit);
  v_hashes bytea[] := hashes_of_journey_runs(p_organization_id, v_ids);
BEGIN
  DELETE FROM journey_run_steps s WHERE s.organization_id = p_organization_id AND s.run_id = ANY (v_ids);
  DELETE FROM journey_run_operations o WHERE o.organization_id = p_organization_id AND o.run_id = ANY (v_ids);
  DELETE FROM journey_run_criteria c WHERE c.organization_id = p_organization_id AND c.run_id = ANY (v_ids);
  DELETE FROM journey_runs r WHERE r.organization_id = p_organization_id AND r.id = ANY (v_ids);
  PERFORM collect_blobs(p_organization_id, v_hashes);
  RETURN cardinality(v_ids);
END
$$;

-- Deletes up to p_limit builds that are older than p_days and whose artifact no run and no release has, with the facts of artifacts
-- that no build has any more. What is run again is built again. Returns how many.
CREATE OR REPLACE FUNCTION delete_old_journey_builds(p_organization_id uuid, p_days integer, p_limit integer) RETURNS integer
LANGUAGE plpgsql
-- One plan for all arguments, as Postgres makes it after some calls, touches 34 times as many blocks with 1,000 builds.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_keys bytea[];
  v_artifacts bytea[];
BEGIN
  v_keys := ARRAY(
    SELECT b.build_key FROM journey_builds b
    WHERE b.organization_id = p_organization_id AND b.created_at < now() - p_days * interval '1 day' AND NOT EXISTS (
      SELECT FROM journey_runs r WHERE r.organization_id = p_organization_id AND r.artifact_hash = b.artifact_hash)
      AND NOT EXISTS (
        SELECT FROM journey_releases l WHERE l.organization_id = p_organization_id AND l.artifact_hash = b.artifact_hash)
    LIMIT p_limit);
  WITH gone AS (
    DELETE FROM journey_builds b WHERE b.organization_id = p_organization_id AND b.build_key = ANY (v_keys)
    RETURNING b.artifact_hash
  ) SELECT array_agg(DISTINCT gone.artifact_hash) INTO v_artifacts FROM gone WHERE gone.artifact_hash IS NOT NULL;
  v_artifacts := ARRAY(
    SELECT a.hash FROM unnest(v_artifacts) AS a (hash)
    WHERE NOT EXISTS (SELECT FROM journey_builds b WHERE b.organization_id = p_organization_id AND b.artifact_hash = a.hash));
  DELETE FROM build_operations o WHERE o.organization_id = p_organization_id AND o.artifact_hash = ANY (v_artifacts);
  DELETE FROM build_criteria c WHERE c.organization_id = p_organization_id AND c.artifact_hash = ANY (v_artifacts);
  PERFORM collect_blobs(p_organization_id, v_artifacts);
  RETURN cardinality(v_keys);
END
$$;
