-- Approvals say which change they are for, and are listed over all services. Locks change_approvals while the index is made.

-- The change as the run had it when it was approved: the rule, its level, the message, and the first operations. A comparison is made again when
-- another run comes before its own, and may then have no such change. Null: it is not known.
ALTER TABLE change_approvals ADD COLUMN change jsonb;
CREATE INDEX change_approvals_unused ON change_approvals (organization_id, id) WHERE used_by_run_id IS NULL;
