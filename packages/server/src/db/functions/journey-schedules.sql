-- Claiming schedules of journeys, and deciding about their ticks.

-- Leases the schedule that has been due for longest, but none of these organizations: so one with many schedules that take long to
-- start leaves the caller's other places to others. p_now is for tests that simulate the time.
CREATE OR REPLACE FUNCTION claim_journey_schedule(p_busy_organization_ids uuid[], p_lease interval, p_now timestamptz)
RETURNS SETOF journey_schedules
LANGUAGE plpgsql SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
DECLARE
  v_now timestamptz := coalesce(p_now, now());
  v_due record;
BEGIN
  -- A statement of its own: as a part of the update, it may be executed several times, and lease other rows that nobody gets.
  SELECT s.organization_id, s.id INTO v_due FROM journey_schedules s
  WHERE s.next_at <= v_now AND (s.claimed_until IS NULL OR s.claimed_until <= v_now)
    AND s.organization_id <> ALL (p_busy_organization_ids)
  ORDER BY s.next_at
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  RETURN QUERY
    UPDATE journey_schedules s SET claimed_until = v_now + p_lease
    WHERE s.organization_id = v_due.organization_id AND s.id = v_due.id
    RETURNING s.*;
END
$$;

-- Locks a schedule of which nothing has been decided or changed since it was claimed. False if something was: then another scheduler has
-- done the work, or it is to be done anew.
CREATE OR REPLACE FUNCTION hold_journey_schedule(
  p_organization_id uuid, p_id uuid, p_next_due_at timestamptz, p_revision integer
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM journey_schedules s
  WHERE s.organization_id = p_organization_id AND s.id = p_id AND s.next_due_at = p_next_due_at AND s.revision = p_revision
  FOR UPDATE;
  RETURN FOUND;
END
$$;

-- Records ticks of a schedule that the caller holds, and when the next one is looked at. The key of a tick refuses a second decision.
CREATE OR REPLACE FUNCTION decide_journey_ticks(
  p_organization_id uuid, p_id uuid, p_ticks journey_schedule_ticks[], p_next_due_at timestamptz, p_next_at timestamptz,
  p_is_waiting boolean
) RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO journey_schedule_ticks
  SELECT p_organization_id, p_id, t.due_at, t.outcome, t.run_id, t.reason, t.decided_at FROM unnest(p_ticks) t;
  UPDATE journey_schedules s
  SET next_due_at = p_next_due_at, next_at = p_next_at, is_waiting = p_is_waiting, claimed_until = NULL
  WHERE s.organization_id = p_organization_id AND s.id = p_id
$$;

-- Counts runs that did not pass and ticks that could not be started. The 20th in a row pauses the schedule.
CREATE OR REPLACE FUNCTION count_journey_schedule_outcome(
  p_organization_id uuid, p_id uuid, p_has_failed boolean, p_last text
) RETURNS void
LANGUAGE sql
AS $$
  UPDATE journey_schedules s SET failures_in_row = CASE WHEN p_has_failed THEN s.failures_in_row + 1 ELSE 0 END
  WHERE s.organization_id = p_organization_id AND s.id = p_id AND (p_has_failed OR s.failures_in_row > 0);
  UPDATE journey_schedules s
  SET is_enabled = false, next_due_at = NULL, next_at = NULL, is_waiting = false, claimed_until = NULL,
      paused_reason = format('%s runs in a row did not pass or could not be started. %s', s.failures_in_row, p_last)
  WHERE s.organization_id = p_organization_id AND s.id = p_id AND s.is_enabled AND s.failures_in_row >= 20
$$;

-- Updates the schedule of a run that ended: a tick that waits for the run becomes due, and a failure counts. A
-- cancelled run says nothing about its journey. The lock comes first: a scheduler that has seen the run unfinished
-- makes its tick wait before this goes on.
CREATE OR REPLACE FUNCTION end_journey_schedule_run(
  p_organization_id uuid, p_id uuid, p_run_id uuid, p_status text, p_error_code text
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM journey_schedules s WHERE s.organization_id = p_organization_id AND s.id = p_id FOR UPDATE;
  UPDATE journey_schedules s SET next_at = now()
  WHERE s.organization_id = p_organization_id AND s.id = p_id AND s.is_waiting;
  IF p_error_code IS DISTINCT FROM 'cancelled' THEN
    PERFORM count_journey_schedule_outcome(p_organization_id, p_id, p_status <> 'passed',
      format('The last run, %s, ended as %s.', p_run_id, p_status));
  END IF;
END
$$;

-- Returns how long the longest due schedule has waited for a scheduler, and how many Waymark has paused, of all
-- organizations.
CREATE OR REPLACE FUNCTION sample_journey_schedules()
RETURNS TABLE (overdue_seconds double precision, paused integer)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1
SET search_path = public, pg_temp
AS $$
  SELECT greatest(0, coalesce(extract(epoch FROM now() - (SELECT min(s.next_at) FROM journey_schedules s)), 0))::double precision,
         (SELECT count(*) FROM journey_schedules s WHERE s.paused_reason IS NOT NULL)::integer
$$;
