/**
 * A query for the privileges of a login beyond the services' role, as reasons; no rows if it has none. Memberships count
 * even if they aren't inherited: any statement can be `SET ROLE`. Creating functions in the schema public counts, because
 * such a function could shadow one that the owner's functions call, and run as the owner.
 *
 * @param login an SQL expression of type name: `session_user` or a parameter
 */
export function excessPrivilegesSql(login: string): string {
  return `
  WITH self AS (
    SELECT oid, rolname, rolsuper FROM pg_roles WHERE rolname = ${login}
  ), roles AS (
    SELECT r.* FROM self, pg_roles r
    WHERE CASE WHEN self.rolsuper THEN r.oid = self.oid ELSE pg_has_role(self.oid, r.oid, 'MEMBER') END
  )
  SELECT 'superuser' AS reason FROM roles WHERE rolsuper
  UNION SELECT 'bypasses row-level security' FROM roles WHERE rolbypassrls
  UNION SELECT 'may create roles' FROM roles WHERE rolcreaterole
  UNION SELECT 'may create databases' FROM roles WHERE rolcreatedb
  UNION SELECT 'may replicate' FROM roles WHERE rolreplication
  UNION SELECT 'member of ' || roles.rolname FROM roles, self
    WHERE roles.oid <> self.oid AND roles.rolname <> 'waymark_app'
  UNION SELECT 'owner of objects' FROM roles
    WHERE EXISTS (SELECT FROM pg_shdepend d
                  WHERE d.refclassid = 'pg_authid'::regclass AND d.refobjid = roles.oid AND d.deptype = 'o')
  UNION SELECT 'may create objects in the schema public' FROM self
    WHERE NOT rolsuper AND has_schema_privilege(oid, to_regnamespace('public'), 'CREATE')
  ORDER BY 1`;
}
