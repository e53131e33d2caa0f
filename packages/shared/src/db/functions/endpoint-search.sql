-- One search over the endpoints of all services of an organization. A row-level policy would keep the index of words from being used, so
-- these run with their owner's rights.

-- What separates words, as a pattern: ASCII punctuation.
CREATE OR REPLACE FUNCTION word_separator() RETURNS text
LANGUAGE sql IMMUTABLE
AS $$ SELECT '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]' $$;

-- The words of a text in lower case, each at most 100 characters.
CREATE OR REPLACE FUNCTION split_words(p_text text) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT ARRAY(
    SELECT DISTINCT left(w.word, 100)
    FROM regexp_split_to_table(lower(p_text), word_separator() || '+') AS w (word)
    WHERE w.word <> '')
$$;

-- What is searched of an endpoint, in lower case: also the words that capital letters separate in its operation's name.
CREATE OR REPLACE FUNCTION endpoint_text(p_method text, p_path text, p_operation_id text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  -- Without concat_ws, which is not immutable: Postgres would call this function for each row, instead of putting it into the query.
  SELECT lower(p_method || ' ' || p_path || coalesce(
    ' ' || p_operation_id || ' ' || regexp_replace(p_operation_id, '([a-z0-9])([A-Z])', '\1 \2', 'g'), ''))
$$;

CREATE OR REPLACE FUNCTION endpoint_words(p_method text, p_path text, p_operation_id text) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT split_words(endpoint_text(p_method, p_path, p_operation_id))
$$;

-- What the words of an organization begin with in the index.
CREATE OR REPLACE FUNCTION word_prefix(p_organization_id uuid) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT left(p_organization_id::text, 8) || '.'
$$;

-- Adds the words of one current content. Returns false if none is left to index.
CREATE OR REPLACE FUNCTION index_endpoint_words(p_organization_id uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_snapshot_id uuid;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  SELECT s.current_snapshot_id INTO v_snapshot_id FROM services s
  WHERE s.organization_id = p_organization_id AND s.current_snapshot_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM indexed_snapshots i WHERE i.organization_id = p_organization_id AND i.snapshot_id = s.current_snapshot_id)
  LIMIT 1;
  IF v_snapshot_id IS NULL THEN
    RETURN false;
  END IF;
  -- It may have been replaced and collected since.
  IF NOT lock_snapshot(p_organization_id, v_snapshot_id) THEN
    RETURN true;
  END IF;
  INSERT INTO chunk_words (organization_id, chunk_id, words)
  SELECT p_organization_id, c.id, array_to_tsvector(ARRAY(
    SELECT DISTINCT word_prefix(p_organization_id) || w.word
    FROM chunk_endpoints e
    CROSS JOIN LATERAL unnest(endpoint_words(e.method, e.path, e.operation_id)) AS w (word)
    WHERE e.organization_id = p_organization_id AND e.chunk_id = c.id))
  FROM (
    SELECT unnest(n.endpoint_chunks) AS id FROM snapshots n
    WHERE n.organization_id = p_organization_id AND n.id = v_snapshot_id
    EXCEPT SELECT k.chunk_id FROM chunk_words k WHERE k.organization_id = p_organization_id
  ) c
  -- In one order: two workers wait for one another, and never in a circle.
  ORDER BY c.id
  ON CONFLICT DO NOTHING;
  INSERT INTO indexed_snapshots (organization_id, snapshot_id) VALUES (p_organization_id, v_snapshot_id) ON CONFLICT DO NOTHING;
  RETURN true;
END
$$;

-- Up to p_limit current endpoints, in the order of their services' names and of their scans, in which each word of the text begins some
-- word. Reads endpoints only of chunks that have all the words, and of contents that are not indexed yet. If more than p_matching_max
-- chunks have the words, also those of earlier scans, it looks at the current ones in their order until it has enough.
CREATE OR REPLACE FUNCTION search_endpoints(
  p_organization_id uuid, p_text text, p_limit integer, p_matching_max integer DEFAULT 2000
) RETURNS TABLE (
  service_id uuid, service_name text, scan_run_id uuid, method text, path text, operation_id text, tags text[], summary text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
-- Common and rare words need different plans; one for both, as Postgres makes it after some calls, takes twice as long.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_words text[] := split_words(p_text);
  v_query tsquery;
  -- Each finds a word's beginning in an endpoint's text. The words have none of the characters that mean something in a pattern.
  v_patterns text[] := ARRAY(
    SELECT '(^|' || word_separator() || ')' || w.word FROM unnest(v_words) AS w (word));
  v_matching uuid[];
  v_is_common boolean;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  IF cardinality(v_words) = 0 THEN
    RETURN;
  END IF;
  SELECT string_agg(quote_literal(word_prefix(p_organization_id) || w.word) || ':*', ' & ')::tsquery INTO v_query
  FROM unnest(v_words) AS w (word);
  v_matching := ARRAY(
    SELECT k.chunk_id FROM chunk_words k WHERE k.organization_id = p_organization_id AND k.words @@ v_query
    LIMIT p_matching_max + 1);
  v_is_common := cardinality(v_matching) > p_matching_max;
  RETURN QUERY
    SELECT c.service_id, c.service_name, c.scan_run_id, e.method, e.path, e.operation_id, e.tags, e.summary
    FROM (
      SELECT s.id AS service_id, s.name AS service_name, s.current_run_id AS scan_run_id, n.endpoint_chunks,
             i.snapshot_id IS NOT NULL AS is_indexed
      FROM services s
      JOIN snapshots n ON n.organization_id = s.organization_id AND n.id = s.current_snapshot_id
      LEFT JOIN indexed_snapshots i ON i.organization_id = s.organization_id AND i.snapshot_id = s.current_snapshot_id
      WHERE s.organization_id = p_organization_id
      ORDER BY s.name, s.id
      -- What follows is done service by service and chunk by chunk, until there are enough.
      OFFSET 0
    ) c
    CROSS JOIN LATERAL unnest(c.endpoint_chunks) AS named (id)
    CROSS JOIN LATERAL (
      SELECT r.* FROM chunk_endpoints r
      WHERE r.organization_id = p_organization_id AND r.chunk_id = named.id AND (
        NOT v_is_common OR NOT c.is_indexed OR EXISTS (
          SELECT FROM chunk_words k
          WHERE k.organization_id = p_organization_id AND k.chunk_id = named.id AND k.words @@ v_query
          -- By its key.
          LIMIT 1))
      ORDER BY r.ordinal
      -- A chunk has no more.
      LIMIT 32) e
    WHERE (v_is_common OR NOT c.is_indexed OR named.id IN (SELECT unnest(v_matching)))
      AND endpoint_text(e.method, e.path, e.operation_id) ~ ALL (v_patterns)
    LIMIT p_limit;
END
$$;
