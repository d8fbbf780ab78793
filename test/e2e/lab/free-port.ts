import { createServer } from 'node:net';

/** Below the range from which Linux takes ports for outgoing connections: 32768 to 60999. */
const [FIRST, LAST] = [15_000, 32_000];
const MAX_ATTEMPTS = 20;

/** Finds a free port of this machine. Another server may take it before the caller does. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) return port;
  }
  throw new Error(`${MAX_ATTEMPTS} ports between ${FIRST} and ${LAST} are in use`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => {
      server.close(() => resolve(true));
    });
  });
}
