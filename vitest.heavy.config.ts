import { defineConfig } from 'vitest/config';
import { base } from './vitest.config.ts';

const TIMEOUT_MS = 3_600_000;

/** `npm run test:heavy`: properties over 10,000 clusters, storms at 5,000 nodes, whole simulated days. */
export default defineConfig({
  test: {
    ...base,
    include: ['test/**/*.heavy.test.ts'],
    exclude: ['test/browser/**'],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
  },
});
