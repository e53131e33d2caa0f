-- Drops functions whose result or name changed, which CREATE OR REPLACE can't do. The files in db/functions are applied after
-- this and create them again. Locks nothing.
DROP FUNCTION IF EXISTS accept_scan_run;
DROP FUNCTION IF EXISTS list_named_chunks;
