-- The words of the endpoints that services have now, to search all of them at once. A worker adds them some time after a scan, so that
-- no scan waits for it: the search reads the endpoints of contents that are not indexed yet. Creates two tables and a type, locks none.

CREATE TABLE chunk_words (
  organization_id uuid NOT NULL,
  chunk_id uuid NOT NULL,
  -- The words of all its endpoints. Each begins with a part of the organization's id, so that a search reads no other
  -- organization's words.
  words tsvector NOT NULL,
  PRIMARY KEY (organization_id, chunk_id),
  FOREIGN KEY (organization_id, chunk_id) REFERENCES chunks (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX chunk_words_by_word ON chunk_words USING gin (words);

-- Contents of which every chunk has its words.
CREATE TABLE indexed_snapshots (
  organization_id uuid NOT NULL,
  snapshot_id uuid NOT NULL,
  PRIMARY KEY (organization_id, snapshot_id),
  FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots (organization_id, id) ON DELETE CASCADE
);

-- The place of an endpoint in the list that search_endpoints returns. An occurrence counts the endpoints of a service with the same
-- path and method that match, from 1.
CREATE TYPE endpoint_position AS (service_name text, path text, method text, occurrence integer);

ALTER TABLE chunk_words ENABLE ROW LEVEL SECURITY;
CREATE POLICY chunk_words_own ON chunk_words USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE indexed_snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY indexed_snapshots_own ON indexed_snapshots USING (organization_id = (SELECT current_organization_id()));
