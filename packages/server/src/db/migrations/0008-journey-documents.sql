-- Journeys, overlays and descriptions as documents with versions, and the bytes of all that is named by its content.

-- Texts of documents, artifacts, results, evidence: each content is stored once.
CREATE TABLE blobs (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- SHA-256 of the content.
  hash bytea NOT NULL CHECK (length(hash) = 32),
  -- The size of the content before it was compressed.
  size integer NOT NULL CHECK (size >= 0),
  -- The content, compressed with zstd.
  bytes bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, hash)
);
-- Compressed already: don't let Postgres try.
ALTER TABLE blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE journey_documents (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  id uuid NOT NULL,
  -- As in a repository: relative to its root, with slashes. References between documents are resolved by it.
  path text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('journey', 'overlay', 'openapi')),
  -- The first version's $self, or the id: it stays when $self or the title changes.
  journey_key text NOT NULL,
  -- The metadata that the head declares.
  title text,
  is_template boolean NOT NULL DEFAULT false,
  tags text[] NOT NULL DEFAULT '{}',
  info_version text,
  -- The range of versions of its base that an overlay was written for.
  extends_version text,
  head_version integer NOT NULL CHECK (head_version > 0),
  -- Where the document comes from, if a repository owns it: then it is not edited here.
  managed_repository text,
  managed_path text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  PRIMARY KEY (organization_id, id),
  CHECK ((managed_repository IS NULL) = (managed_path IS NULL))
);
CREATE UNIQUE INDEX journey_documents_path ON journey_documents (organization_id, path) WHERE archived_at IS NULL;

-- Never changed and never deleted: a result names the version that it ran.
CREATE TABLE journey_document_versions (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  blob_hash bytea NOT NULL,
  -- The version that this one was made from; null for the first.
  parent_version integer CHECK (parent_version < version),
  -- The versions of one changeset were stored together.
  changeset_id uuid NOT NULL,
  message text,
  origin text NOT NULL CHECK (origin IN ('console', 'cli', 'api')),
  source_commit text,
  source_branch text,
  source_url text,
  -- With the documents that it referred to when it was stored.
  error_count integer NOT NULL,
  warning_count integer NOT NULL,
  created_by_key_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, document_id, version),
  FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents (organization_id, id),
  FOREIGN KEY (organization_id, blob_hash) REFERENCES blobs (organization_id, hash) ON DELETE RESTRICT
);
-- For the foreign key's own check when an unused blob is deleted.
CREATE INDEX journey_document_versions_by_blob ON journey_document_versions (organization_id, blob_hash);
-- Checked at the end of the transaction: a document and its first version are stored together.
ALTER TABLE journey_documents ADD FOREIGN KEY (organization_id, id, head_version)
  REFERENCES journey_document_versions (organization_id, document_id, version) DEFERRABLE INITIALLY DEFERRED;

-- The references of a version: an overlay refers to its base, a journey to its descriptions and other journeys.
CREATE TABLE journey_document_links (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  version integer NOT NULL,
  -- The name of the source description; 'extends' for the base of an overlay.
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('source', 'extends', 'journey')),
  -- As it is written.
  target text NOT NULL,
  -- The document that it means, by its path; null for a URL. Not its id: the document may be stored later, or anew.
  target_path text,
  PRIMARY KEY (organization_id, document_id, version, role, name),
  FOREIGN KEY (organization_id, document_id, version)
    REFERENCES journey_document_versions (organization_id, document_id, version)
);
CREATE INDEX journey_document_links_by_target ON journey_document_links (organization_id, target_path)
  WHERE target_path IS NOT NULL;

-- The service whose scans list the operations of a description.
CREATE TABLE source_bindings (
  organization_id uuid NOT NULL,
  document_id uuid NOT NULL,
  service_id uuid NOT NULL,
  -- The prefix that the description's paths have in the service's scans; empty where they are equal.
  path_prefix text NOT NULL DEFAULT '',
  how text NOT NULL CHECK (how IN ('spec-hash', 'name', 'manual', 'description')),
  bound_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, document_id),
  FOREIGN KEY (organization_id, document_id) REFERENCES journey_documents (organization_id, id),
  FOREIGN KEY (organization_id, service_id) REFERENCES services (organization_id, id)
);
CREATE INDEX source_bindings_by_service ON source_bindings (organization_id, service_id);

-- The first response of a changeset with an Idempotency-Key, for 24 hours.
CREATE TABLE journey_changeset_requests (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- The calling key. Another one's equal Idempotency-Key is another request.
  created_by uuid NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  response jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, created_by, idempotency_key)
);

ALTER TABLE blobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY blobs_own ON blobs USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_documents_own ON journey_documents USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_document_versions ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_document_versions_own ON journey_document_versions
  USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_document_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_document_links_own ON journey_document_links
  USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE source_bindings ENABLE ROW LEVEL SECURITY;
CREATE POLICY source_bindings_own ON source_bindings USING (organization_id = (SELECT current_organization_id()));
ALTER TABLE journey_changeset_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY journey_changeset_requests_own ON journey_changeset_requests
  USING (organization_id = (SELECT current_organization_id()));
