import { type FragmentSqlToken, sql } from "slonik";

/** The gates of a stored verdict without their causes, which may be long; null without a verdict. */
export const judgedGates = (verdict: FragmentSqlToken): FragmentSqlToken => sql.fragment`(
  SELECT json_agg(g - 'causes' ORDER BY n) FROM jsonb_array_elements(${verdict}->'gates') WITH ORDINALITY AS judged (g, n))`;

/** The names of the gates that failed of a stored verdict; none without a verdict. */
export const namesOfFailedGates = (verdict: FragmentSqlToken): FragmentSqlToken => sql.fragment`ARRAY(
  SELECT g->>'gate' FROM jsonb_array_elements(${verdict}->'gates') WITH ORDINALITY AS judged (g, n)
  WHERE NOT (g->>'passed')::boolean ORDER BY n)`;

/** True if a gate of a stored verdict failed; false without a verdict. */
export const hasFailedGate = (verdict: FragmentSqlToken): FragmentSqlToken => sql.fragment`EXISTS (
  SELECT FROM jsonb_array_elements(${verdict}->'gates') g WHERE NOT (g->>'passed')::boolean)`;
