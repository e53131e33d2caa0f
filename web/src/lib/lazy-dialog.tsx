import { type ComponentType, Suspense } from "react";
import { lazyPart } from "./lazy-part.tsx";

/** A dialog whose code loads when it is first opened, without a change of the page behind it until then. */
export function lazyDialog<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Dialog = lazyPart("The dialog", load);
  return (props: Props) => (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  );
}
