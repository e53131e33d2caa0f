import { useLocalStorage } from "@mantine/hooks";

export type Density = "normal" | "compact";

/** How much room the rows of tables have. The browser keeps it, and all tables follow. */
export function useDensity(): [Density, (density: Density) => void] {
  const [density, setDensity] = useLocalStorage<Density>({
    key: "waymark-density",
    defaultValue: "normal",
    getInitialValueInEffect: false,
    deserialize: (text) => (text === '"compact"' ? "compact" : "normal"),
  });
  return [density, setDensity];
}
