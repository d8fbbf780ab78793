import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that has package.json. */
export const REPOSITORY: string = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Where built programs are kept between runs. Outside the repository: `npm ci` empties
 * `node_modules`, and the control plane takes minutes to build.
 */
export const CACHE: string = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'mortise-e2e',
);

/** With the Node of package.json first: the emulator runs functions on the `node` that it finds. */
export const PATH: string = [join(REPOSITORY, 'node_modules/.bin'), process.env.PATH ?? ''].join(
  ':',
);
