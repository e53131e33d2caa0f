import { Option } from "clipanion";

/** `--ca-cert`, of every command that reaches a server. */
export function certificateOption() {
  return Option.String("--ca-cert", {
    description: "PEM file with certificates to trust besides the usual ones",
  });
}

/** `--overlay`, of every command that reads a journey with its overlays. */
export function overlayOption() {
  return Option.Array("--overlay", [], {
    description: "Overlay to lay over the journey; repeat it, they are applied in this order",
  });
}
