import { useLocalStorage } from "@mantine/hooks";

export type Density = "normal" | "compact";

/** The density of the rows of all tables. The browser stores it. */
export function useDensity(): [Density, (density: Density) => void] {
  const [density, setDensity] = useLocalStorage<Density>({
    key: "waymark-density",
    defaultValue: "normal",
    getInitialValueInEffect: false,
    deserialize: (text) => (text === '"compact"' ? "compact" : "normal"),
  });
  return [density, setDensity];
}
