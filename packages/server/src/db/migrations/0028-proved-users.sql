-- A user stays proved when the identity provider that proved it is deleted. Rewrites no rows but those of users who have signed in by a provider.

ALTER TABLE principals
  -- When an identity provider first said who the user is. Null: at most an invitation did.
  ADD COLUMN proved_at timestamptz;
UPDATE principals p SET proved_at = now()
WHERE EXISTS (SELECT FROM principal_identities i WHERE i.organization_id = p.organization_id AND i.principal_id = p.id);
