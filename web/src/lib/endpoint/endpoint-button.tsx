/** The path of an endpoint in a list, which opens the endpoint. */
export function EndpointButton({ path, onOpen }: { path: string; onOpen: () => void }) {
  return (
    <button type="button" className="opens" onClick={onOpen} aria-haspopup="dialog" title={path}>
      {path}
    </button>
  );
}
