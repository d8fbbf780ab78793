import { fileURLToPath } from 'node:url';

/** Replaces `console/build.ts` in the package, which contains the built page. The path starts at the bundled file. */
export const builtConsole = async (): Promise<string> => fileURLToPath(new URL('../../console/', import.meta.url));
