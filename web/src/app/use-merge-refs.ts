import { useMergedRef } from "@mantine/hooks";
import type { Ref } from "react";

/** The one hook that ScrollArea takes of @floating-ui/react: see build/merge-refs.ts. */
export const useMergeRefs = <T>(refs: Ref<T>[]) => useMergedRef(...refs);
