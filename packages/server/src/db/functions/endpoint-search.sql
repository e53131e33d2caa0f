-- One search over the endpoints of all services of an organization, and the words of texts that are searched. A row-level policy would
-- keep the index of words from being used, so the search and the indexing run with their owner's rights.

-- A text in small letters, with compatible forms replaced, whatever the database's locale.
CREATE OR REPLACE FUNCTION fold_text(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
  v_text text := p_text;
BEGIN
  IF octet_length(v_text) = length(v_text) THEN
    RETURN lower(v_text COLLATE "C");
  END IF;
  v_text := lower(normalize(v_text, NFKC) COLLATE "C");
  -- translate() goes through the list for each character.
  IF v_text ~ capital_letters() THEN
    -- A small letter and its mark may be one character where the capital one is two.
    v_text := normalize(translate(v_text, letters_to_fold(), folded_letters()), NFKC);
  END IF;
  RETURN v_text;
END
$$;

-- True if a text has a part, in any case.
CREATE OR REPLACE FUNCTION contains_text(p_text text, p_part text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
  SELECT strpos(fold_text(p_text), fold_text(p_part)) > 0
$$;

-- The words of a text as they are searched, each after one space: small letters, compatible forms replaced.
CREATE OR REPLACE FUNCTION search_text(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
  -- Nearly all texts are ASCII: 3 µs instead of 10.
  IF octet_length(p_text) = length(p_text) THEN
    RETURN ' ' || ltrim(regexp_replace(lower(p_text COLLATE "C"), '[^a-z0-9]+', ' ', 'g'));
  END IF;
  RETURN ' ' || ltrim(regexp_replace(fold_text(p_text), word_separators() || '+', ' ', 'g'));
END
$$;

-- The words of a text, each at most 100 characters.
CREATE OR REPLACE FUNCTION split_words(p_text text) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT ARRAY(
    SELECT DISTINCT left(w.word, 100) FROM string_to_table(search_text(p_text), ' ') AS w (word) WHERE w.word <> '')
$$;

-- The words of texts, each after a prefix; the positions of a word are the places of the texts that have it, from 1.
CREATE OR REPLACE FUNCTION words_of_texts(p_texts text[], p_prefix text) RETURNS tsvector
LANGUAGE sql IMMUTABLE
AS $$
  SELECT coalesce(string_agg(quote_literal(p_prefix || w.word) || ':' || t.place, ' '), '')::tsvector
  FROM unnest(p_texts) WITH ORDINALITY AS t (text, place)
  CROSS JOIN LATERAL unnest(split_words(t.text)) AS w (word)
$$;

-- Rows of words_of_texts with a text, each word of which begins some word of one text: <0> asks for the same position. Null for a text
-- without words.
CREATE OR REPLACE FUNCTION words_query(p_text text, p_prefix text) RETURNS tsquery
LANGUAGE sql IMMUTABLE
AS $$
  SELECT string_agg(quote_literal(p_prefix || w.word) || ':*', ' <0> ')::tsquery FROM unnest(split_words(p_text)) AS w (word)
$$;

-- Returns the searchable text of an endpoint, including the words that capital letters separate in its operation's
-- name.
CREATE OR REPLACE FUNCTION endpoint_text(p_method text, p_path text, p_operation_id text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  -- Without concat_ws, which is not immutable: Postgres would call this function for each row, instead of putting it into the query.
  SELECT p_method || ' ' || p_path || coalesce(
    ' ' || p_operation_id || ' ' ||
    regexp_replace(p_operation_id, '([^ ' || substr(capital_letters(), 2) || ')(' || capital_letters() || ')', '\1 \2', 'g'), '')
$$;

-- Returns the prefix that the words of an organization have in the index.
CREATE OR REPLACE FUNCTION word_prefix(p_organization_id uuid) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT left(p_organization_id::text, 8) || '.'
$$;

-- Adds the words of the current contents of up to p_limit services after one that have none yet, in the order of their ids. Returns how
-- many services it found, and the last of them.
CREATE OR REPLACE FUNCTION index_endpoint_words(
  p_organization_id uuid, p_after_service_id uuid, p_limit integer, OUT service_count integer, OUT last_service_id uuid
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp
AS $$
DECLARE
  v_service record;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  service_count := 0;
  FOR v_service IN
    SELECT s.id, s.current_snapshot_id FROM services s
    WHERE s.organization_id = p_organization_id AND s.id > p_after_service_id AND s.current_snapshot_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM indexed_snapshots i WHERE i.organization_id = p_organization_id AND i.snapshot_id = s.current_snapshot_id
      -- With LIMIT, each is looked up by its key, however many the planner expects.
      LIMIT 1)
    ORDER BY s.id
    LIMIT p_limit
  LOOP
    service_count := service_count + 1;
    last_service_id := v_service.id;
    -- It may have been replaced and collected since.
    CONTINUE WHEN NOT lock_snapshot(p_organization_id, v_service.current_snapshot_id);
    INSERT INTO chunk_words (organization_id, chunk_id, words)
    SELECT p_organization_id, c.id, (
      SELECT words_of_texts(array_agg(endpoint_text(e.method, e.path, e.operation_id) ORDER BY e.ordinal), word_prefix(p_organization_id))
      FROM (
        SELECT r.ordinal, r.method, r.path, r.operation_id FROM chunk_endpoints r
        WHERE r.organization_id = p_organization_id AND r.chunk_id = c.id
        -- A chunk has no more.
        LIMIT 32) e)
    FROM (
      SELECT DISTINCT named.id
      FROM (
        SELECT n.endpoint_chunks FROM snapshots n
        WHERE n.organization_id = p_organization_id AND n.id = v_service.current_snapshot_id
        LIMIT 1) n
      CROSS JOIN LATERAL unnest(n.endpoint_chunks) AS named (id)
    ) c
    WHERE NOT EXISTS (
      SELECT FROM chunk_words k WHERE k.organization_id = p_organization_id AND k.chunk_id = c.id LIMIT 1)
    -- In one order: two workers wait for one another, and never in a circle.
    ORDER BY c.id
    ON CONFLICT DO NOTHING;
    INSERT INTO indexed_snapshots (organization_id, snapshot_id)
    VALUES (p_organization_id, v_service.current_snapshot_id) ON CONFLICT DO NOTHING;
  END LOOP;
END
$$;

-- Up to p_limit current endpoints, by the names of their services, by path and method, in which each word of the text begins some
-- word. Reads endpoints only of chunks in which one has all the words, and of contents that are not indexed yet. If more than
-- p_matching_max chunks have it, also those of earlier scans, it looks at the current ones in their order until it has enough. With
-- p_service_ids, it searches these services only, and never archived ones. The list begins after the endpoint at p_after.
CREATE OR REPLACE FUNCTION search_endpoints(
  p_organization_id uuid, p_text text, p_limit integer, p_service_ids uuid[] DEFAULT NULL, p_matching_max integer DEFAULT 2000,
  p_after endpoint_position DEFAULT NULL
) RETURNS TABLE (
  service_id uuid, service_name text, scan_run_id uuid, method text, path text, operation_id text, tags text[], summary text,
  occurrence integer
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = public, pg_temp
-- Common and rare words need different plans; one for both, as Postgres makes it after some calls, takes twice as long.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_words text[] := split_words(p_text);
  v_query tsquery := words_query(p_text, word_prefix(p_organization_id));
  v_matching uuid[];
  v_is_common boolean;
BEGIN
  PERFORM assert_own_organization(p_organization_id);
  IF v_query IS NULL THEN
    RETURN;
  END IF;
  v_matching := ARRAY(
    SELECT k.chunk_id FROM chunk_words k WHERE k.organization_id = p_organization_id AND k.words @@ v_query
    LIMIT p_matching_max + 1);
  v_is_common := cardinality(v_matching) > p_matching_max;
  RETURN QUERY
    SELECT c.service_id, c.service_name, c.scan_run_id, f.method, f.path, f.operation_id, f.tags, f.summary, f.occurrence
    FROM (
      SELECT s.id AS service_id, s.name AS service_name, s.current_run_id AS scan_run_id, n.endpoint_chunks,
             i.snapshot_id IS NOT NULL AS is_indexed
      FROM services s
      JOIN snapshots n ON n.organization_id = s.organization_id AND n.id = s.current_snapshot_id
      LEFT JOIN indexed_snapshots i ON i.organization_id = s.organization_id AND i.snapshot_id = s.current_snapshot_id
      WHERE s.organization_id = p_organization_id AND (p_service_ids IS NULL OR s.id = ANY(p_service_ids))
        AND s.archived_at IS NULL AND (p_after.service_name IS NULL OR s.name >= p_after.service_name)
        -- Nothing to look for in contents that are indexed.
        AND (cardinality(v_matching) > 0 OR i.snapshot_id IS NULL)
      -- A name is unique.
      ORDER BY s.name
      -- With OFFSET 0, the rest is done service by service, until there are enough rows.
      OFFSET 0
    ) c
    CROSS JOIN LATERAL (
      SELECT m.* FROM (
        SELECT e.method, e.path, e.operation_id, e.tags, e.summary,
               row_number() OVER (PARTITION BY e.path COLLATE "C", e.method COLLATE "C" ORDER BY named.n, e.ordinal)::int AS occurrence
        FROM unnest(c.endpoint_chunks) WITH ORDINALITY AS named (id, n)
        CROSS JOIN LATERAL (
          SELECT r.* FROM chunk_endpoints r
          WHERE r.organization_id = p_organization_id AND r.chunk_id = named.id AND (
            NOT v_is_common OR NOT c.is_indexed OR EXISTS (
              SELECT FROM chunk_words k
              WHERE k.organization_id = p_organization_id AND k.chunk_id = named.id AND k.words @@ v_query
              -- By its key.
              LIMIT 1))
          -- A chunk has no more.
          LIMIT 32) e
        CROSS JOIN LATERAL (SELECT search_text(endpoint_text(e.method, e.path, e.operation_id)) AS searched) t
        WHERE (v_is_common OR NOT c.is_indexed OR named.id IN (SELECT unnest(v_matching)))
          AND NOT EXISTS (SELECT FROM unnest(v_words) AS w (word) WHERE strpos(t.searched, ' ' || w.word) = 0)
      ) m
      WHERE p_after.service_name IS NULL OR c.service_name > p_after.service_name
        OR (m.path COLLATE "C", m.method COLLATE "C", m.occurrence) > (p_after.path, p_after.method, p_after.occurrence)
      ORDER BY m.path COLLATE "C", m.method COLLATE "C", m.occurrence) f
    LIMIT p_limit;
END
$$;
