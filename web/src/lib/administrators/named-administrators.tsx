import { usePrincipals } from "../use-principals.ts";
import { describeAdministrators } from "./describe-administrators.ts";

/** Names the administrators to ask. @param props.anybody the sentence without names */
export function NamedAdministrators(props: { ownId: string | null | undefined; anybody: string }) {
  const { ownId, anybody } = props;
  const { data, isLoading } = usePrincipals();
  if (isLoading) return null;
  const names = describeAdministrators(data ?? [], ownId);
  return <>{names === undefined ? anybody : `Ask ${names}.`}</>;
}
