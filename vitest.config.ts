import { configDefaults, defineConfig } from 'vitest/config';

/**
 * `npm test` runs the tests that answer within minutes; `npm run test:long` runs the long
 * simulations and the recorded cases (`*.long.test.ts`).
 */
export default defineConfig({
  test: {
    // Tests stay on loopback: a call of S3 without a double is refused.
    env: { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
    setupFiles: ['test/support/properties.ts'],
    include: ['test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      'test/browser/**',
      'test/**/*.long.test.ts',
      'test/**/*.heavy.test.ts',
    ],
    // Processes, because V8 may end a process with many worker threads (its check `jit_page.has_value()`).
    pool: 'forks',
    // No test changes module state, so that files can share a worker: this halves the time.
    isolate: false,
    maxWorkers: '100%',
    // A deadline for a test that hangs, not a measurement: busy machines are several times slower.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
