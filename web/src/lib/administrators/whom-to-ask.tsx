import { Suspense } from "react";
import { lazyPart } from "../lazy-part.tsx";
import { useMay, useSession } from "../use-session.ts";

const NamedAdministrators = lazyPart(
  "The list of administrators",
  async () => (await import("./named-administrators.tsx")).NamedAdministrators,
);

/** Says in a sentence whom to ask for access: the administrators by name, for those who may see people. */
export function WhomToAsk() {
  const { data: session } = useSession();
  const mayRead = useMay("principals:read");
  if (session === null || session === undefined) return null;
  const anybody = `Ask an administrator of ${session.organizationName}.`;
  if (!mayRead) return anybody;
  return (
    <Suspense>
      <NamedAdministrators ownId={session.principal?.id} anybody={anybody} />
    </Suspense>
  );
}
