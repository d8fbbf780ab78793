import { configDefaults, defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config';

const RECORDING = 'test/support/iam/recording';
const MOCK_CLIENT = `${import.meta.dirname}/${RECORDING}/mock-client.ts`;
/** Evaluates what the other tests record. */
const REQUESTS = 'test/infra/requests.test.ts';
const BROWSER = 'test/browser/**';

const MINUTE_MS = 60_000;
const within = (minutes: number) => ({ testTimeout: minutes * MINUTE_MS, hookTimeout: minutes * MINUTE_MS });

/** The settings that all sets of tests share. */
const base = {
  // Tests stay on loopback: a call of S3 without a double is refused.
  env: { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
  setupFiles: ['test/support/properties.ts'],
  // Processes, because V8 may end a process with many worker threads (its check `jit_page.has_value()`).
  pool: 'forks',
  // No test changes module state, so that files can share a worker: this halves the time.
  isolate: false,
  // A deadline for a test that hangs, not a measurement: busy machines are several times slower.
  ...within(2),
} satisfies TestProjectInlineConfiguration['test'];

/** Lets tests record the requests that they send to doubles of AWS. */
const recordDoubles: Plugin = {
  name: 'record-doubles',
  enforce: 'pre',
  resolveId: (name, importer) => (name === 'aws-sdk-client-mock' && importer !== MOCK_CLIENT ? MOCK_CLIENT : undefined),
};

const tests: TestProjectInlineConfiguration = {
  plugins: [recordDoubles],
  test: {
    ...base,
    name: 'tests',
    setupFiles: [...base.setupFiles, `${RECORDING}/record.ts`],
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, BROWSER, 'test/**/*.long.test.ts', 'test/**/*.heavy.test.ts', REQUESTS],
    sequence: { groupOrder: 0 },
  },
};

const requests: TestProjectInlineConfiguration = {
  test: { ...base, name: 'requests', include: [REQUESTS], sequence: { groupOrder: 1 } },
};

/** `npm run test:long`: long simulations and the recorded cases. */
const long: TestProjectInlineConfiguration = {
  test: { ...base, ...within(10), name: 'long', include: ['test/**/*.long.test.ts'], sequence: { groupOrder: 2 } },
};

/**
 * `npx vitest run --project heavy`: properties over 10,000 clusters, storms at 5,000 nodes, whole
 * simulated days.
 */
const heavy: TestProjectInlineConfiguration = {
  test: { ...base, ...within(60), name: 'heavy', include: ['test/**/*.heavy.test.ts'], sequence: { groupOrder: 3 } },
};

/** `npm run test:browser`: the console in a real Chromium, which the other tests do not need. */
const browser: TestProjectInlineConfiguration = {
  test: {
    ...within(1),
    name: 'browser',
    include: [`${BROWSER}/*.test.ts`],
    sequence: { groupOrder: 4 },
    maxWorkers: 1,
  },
};

/** `npm test` runs the projects `tests` and `requests`. */
export default defineConfig({
  test: { maxWorkers: '100%', projects: [tests, requests, long, heavy, browser] },
});
