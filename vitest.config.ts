import { configDefaults, defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config';

const RECORDING = 'test/support/iam/recording';
const MOCK_CLIENT = `${import.meta.dirname}/${RECORDING}/mock-client.ts`;
/** Evaluates what the other tests record. */
const REQUESTS = 'test/infra/requests.test.ts';

/** The settings that all sets of tests share. */
export const base = {
  // Tests stay on loopback: a call of S3 without a double is refused.
  env: { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
  setupFiles: ['test/support/properties.ts'],
  // Processes, because V8 may end a process with many worker threads (its check `jit_page.has_value()`).
  pool: 'forks',
  // No test changes module state, so that files can share a worker: this halves the time.
  isolate: false,
  maxWorkers: '100%',
  // A deadline for a test that hangs, not a measurement: busy machines are several times slower.
  testTimeout: 120_000,
  hookTimeout: 120_000,
} satisfies TestProjectInlineConfiguration['test'];

/** Lets tests record the requests that they send to doubles of AWS. */
const recordDoubles: Plugin = {
  name: 'record-doubles',
  enforce: 'pre',
  resolveId: (name, importer) => (name === 'aws-sdk-client-mock' && importer !== MOCK_CLIENT ? MOCK_CLIENT : undefined),
};

/**
 * `npm test` runs the tests that answer within minutes; `npm run test:long` runs the long
 * simulations and the recorded cases (`*.long.test.ts`).
 */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [recordDoubles],
        test: {
          ...base,
          name: 'tests',
          setupFiles: [...base.setupFiles, `${RECORDING}/record.ts`],
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            'test/browser/**',
            'test/**/*.long.test.ts',
            'test/**/*.heavy.test.ts',
            REQUESTS,
          ],
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...base, name: 'requests', include: [REQUESTS], sequence: { groupOrder: 1 } } },
    ],
  },
});
