import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with package.json. */
export const REPOSITORY: string = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Cache of built programs. It is outside the repository, because `npm ci` empties `node_modules`
 * and the control plane takes minutes to build.
 */
export const CACHE: string = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mortise-e2e');

/**
 * PATH with the Node.js version of package.json first: the emulator runs functions with the first
 * `node`.
 */
export const PATH: string = [join(REPOSITORY, 'node_modules/.bin'), process.env.PATH ?? ''].join(':');
