import type { Client } from "pg";
import { createPgClient } from "./address/primary-client.ts";
import { migrate } from "./migrate.ts";

/**
 * Describes the schema that this version creates in an empty database, as text similar to SQL: types, tables with their
 * indexes, policies and triggers, functions with a hash of their body, and the privileges of the services' role and PUBLIC.
 *
 * @param serverUrl a test server, with a login that may create databases and roles
 */
export async function describeFreshSchema(serverUrl: string): Promise<string> {
  const database = `waymark_schema_${process.pid}`;
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return withClient(serverUrl, async (server) => {
    await server.query(`DROP DATABASE IF EXISTS ${database}`);
    await server.query(`CREATE DATABASE ${database}`);
    try {
      await migrate(url.href);
      return await withClient(url.href, describeSchema);
    } finally {
      await server.query(`DROP DATABASE ${database}`);
    }
  });
}

async function withClient<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = createPgClient(databaseUrl, { connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param client a connection to the database */
export async function describeSchema(client: Client): Promise<string> {
  // Postgres qualifies every name that is not on the search path.
  await client.query("SET search_path = public");
  const texts: string[] = [];
  for (const sql of [SCHEMAS, TYPES, TABLES, FUNCTIONS]) {
    const { rows } = await client.query<{ text: string }>(sql);
    texts.push(...rows.map(({ text }) => text));
  }
  return `${texts.join("\n\n")}\n`;
}

// The privileges of owners differ between servers and versions.
const GRANTEE = "CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END";
const IS_SHOWN = "acl.grantee IN (0, 'waymark_app'::regrole)";

const grants = (acl: string, object: string): string => `(
  SELECT string_agg(format(E'\\nGRANT %s ON %s TO %s;', held.privileges, ${object}, held.grantee), '' ORDER BY held.grantee COLLATE "C")
  FROM (SELECT ${GRANTEE} AS grantee, string_agg(acl.privilege_type, ', ' ORDER BY acl.privilege_type COLLATE "C") AS privileges
        FROM aclexplode(${acl}) acl WHERE ${IS_SHOWN} GROUP BY acl.grantee) held)`;

const COLUMN_GRANTS = `(
  SELECT string_agg(format(E'\\nGRANT %s (%s) ON %s TO %s;', held.privilege, held.columns, c.oid::regclass, held.grantee), ''
                    ORDER BY held.grantee COLLATE "C", held.privilege COLLATE "C")
  FROM (SELECT ${GRANTEE} AS grantee, acl.privilege_type AS privilege,
               string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) AS columns
        FROM pg_attribute a, aclexplode(a.attacl) acl WHERE a.attrelid = c.oid AND ${IS_SHOWN} GROUP BY 1, 2) held)`;

const SCHEMAS = `
  SELECT format('CREATE SCHEMA %I;', n.nspname) || coalesce(${grants("n.nspacl", "format('SCHEMA %I', n.nspname)")}, '') AS text
  FROM pg_namespace n
  WHERE n.nspname IN ('public', 'bullmq')
  ORDER BY n.nspname`;

const COLUMNS = `(
  SELECT string_agg(concat(
    format(E'\\n  %I %s', a.attname, format_type(a.atttypid, a.atttypmod)),
    CASE a.attstorage WHEN t.typstorage THEN '' WHEN 'p' THEN ' STORAGE PLAIN' WHEN 'e' THEN ' STORAGE EXTERNAL'
                      WHEN 'm' THEN ' STORAGE MAIN' ELSE ' STORAGE EXTENDED' END,
    CASE WHEN a.attcollation <> t.typcollation THEN format(' COLLATE %s', a.attcollation::regcollation) END,
    CASE a.attidentity WHEN '' THEN '' ELSE ' GENERATED AS IDENTITY' END,
    CASE a.attgenerated WHEN '' THEN ' DEFAULT ' ELSE ' GENERATED ALWAYS AS ' END || pg_get_expr(d.adbin, d.adrelid),
    CASE WHEN a.attnotnull THEN ' NOT NULL' END), ',' ORDER BY a.attnum)
  FROM pg_attribute a
  JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)`;

const TYPES = `
  SELECT format('CREATE TYPE %I AS %s', t.typname, CASE t.typtype
    WHEN 'c' THEN '(' || ${COLUMNS} || E'\\n);'
    WHEN 'e' THEN (SELECT format('ENUM (%s);', string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder))
                   FROM pg_enum e WHERE e.enumtypid = t.oid)
    ELSE format('?; -- pg_type.typtype %s', t.typtype) END) AS text
  FROM pg_type t
  LEFT JOIN pg_class c ON c.oid = t.typrelid
  WHERE t.typnamespace = 'public'::regnamespace AND (c.relkind = 'c' OR t.typtype NOT IN ('b', 'c'))
  ORDER BY t.typname`;

// Since Postgres 18, NOT NULL is a constraint too. The column shows it already.
const CONSTRAINTS = `(
  SELECT string_agg(format(E',\\n  CONSTRAINT %I %s', con.conname, pg_get_constraintdef(con.oid)), '' ORDER BY con.conname)
  FROM pg_constraint con WHERE con.conrelid = c.oid AND con.contype NOT IN ('n', 't'))`;

const OPTIONS = `(
  SELECT string_agg(o.name, ', ' ORDER BY o.name COLLATE "C")
  FROM (SELECT unnest(c.reloptions) UNION ALL
        SELECT 'toast.' || unnest(toast.reloptions) FROM pg_class toast WHERE toast.oid = c.reltoastrelid) o (name))`;

const INDEXES = `(
  SELECT string_agg(format(E'\\n%s;', pg_get_indexdef(i.indexrelid)), '' ORDER BY i.indexrelid::regclass::text COLLATE "C")
  FROM pg_index i
  WHERE i.indrelid = c.oid
    AND NOT EXISTS (SELECT FROM pg_constraint con WHERE con.conindid = i.indexrelid AND con.conrelid = c.oid))`;

const POLICIES = `(
  SELECT string_agg(format(E'\\nCREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s;', p.policyname, c.oid::regclass, p.permissive, p.cmd,
                           array_to_string(p.roles, ', '), ' USING (' || p.qual || ')', ' WITH CHECK (' || p.with_check || ')'), ''
                    ORDER BY p.policyname)
  FROM pg_policies p WHERE p.schemaname = 'public' AND p.tablename = c.relname)`;

const TRIGGERS = `(
  SELECT string_agg(format(E'\\n%s;', pg_get_triggerdef(t.oid)), '' ORDER BY t.tgname)
  FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)`;

const TABLES = `
  SELECT concat(
    CASE c.relkind
      WHEN 'r' THEN format(E'CREATE TABLE %s (%s%s\\n)%s;', c.oid::regclass, ${COLUMNS}, ${CONSTRAINTS}, ' WITH (' || ${OPTIONS} || ')')
      WHEN 'v' THEN format('CREATE VIEW %s AS%s', c.oid::regclass, pg_get_viewdef(c.oid))
      ELSE format('CREATE ? %s; -- pg_class.relkind %s', c.oid::regclass, c.relkind) END,
    ${INDEXES},
    CASE WHEN c.relrowsecurity THEN format(E'\\nALTER TABLE %s ENABLE ROW LEVEL SECURITY;', c.oid::regclass) END,
    CASE WHEN c.relforcerowsecurity THEN format(E'\\nALTER TABLE %s FORCE ROW LEVEL SECURITY;', c.oid::regclass) END,
    ${POLICIES}, ${TRIGGERS}, ${grants("c.relacl", "c.oid::regclass::text")}, ${COLUMN_GRANTS}) AS text
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind NOT IN ('c', 'i', 'I')
  ORDER BY c.relname`;

// By default, without an ACL, PUBLIC may call a function.
const FUNCTIONS = `
  SELECT concat(
    regexp_replace(pg_get_functiondef(p.oid), E'\\\\s+AS \\\\$function\\\\$.*$', ''), ';',
    CASE WHEN p.prosqlbody IS NULL
         THEN format(E'\\n-- Body of %s: sha256 %s', p.proname, encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex')) END,
    ${grants("p.proacl", "'FUNCTION ' || p.oid::regprocedure")}) AS text
  FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
  ORDER BY p.oid::regprocedure::text COLLATE "C"`;
