-- Functions whose results or names changed: the files in db/functions create them anew after this. Locks nothing.
DROP FUNCTION IF EXISTS accept_scan_run;
DROP FUNCTION IF EXISTS list_named_chunks;
