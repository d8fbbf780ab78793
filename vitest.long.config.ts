import { defineConfig } from 'vitest/config';
import { base } from './vitest.config.ts';

/** The longest simulation takes a minute on a quiet machine, and several on a busy one. */
const TIMEOUT_MS = 600_000;

/** `npm run test:long`: long simulations and the recorded cases. */
export default defineConfig({
  test: {
    ...base,
    include: ['test/**/*.long.test.ts'],
    exclude: ['test/browser/**'],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
