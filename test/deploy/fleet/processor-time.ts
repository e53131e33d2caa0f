import { request } from "node:http";
import { json } from "node:stream/consumers";

const SOCKET = "/var/run/docker.sock";

interface Stats {
  cpu_stats: { cpu_usage: { total_usage: number } };
}

/**
 * The processor time that these containers have used since they started, in milliseconds, as the kernel counts it. Docker
 * reads it outside of them, so that asking costs them nothing.
 *
 * @throws Error where the engine has no socket on this machine
 */
export async function processorMsOf(containers: readonly string[]): Promise<number> {
  const stats = await Promise.all(containers.map(statsOf));
  return stats.reduce((sum, { cpu_stats: { cpu_usage: usage } }) => sum + usage.total_usage / 1e6, 0);
}

function statsOf(container: string): Promise<Stats> {
  return new Promise((resolve, reject) => {
    const path = `/containers/${container}/stats?stream=false&one-shot=true`;
    request({ socketPath: SOCKET, path }, (response) => {
      json(response).then((body) => {
        if (response.statusCode === 200) resolve(body as Stats);
        else
          reject(new Error(`Docker's stats of ${container}: ${response.statusCode} ${JSON.stringify(body)}`));
      }, reject);
    })
      .on("error", reject)
      .end();
  });
}
