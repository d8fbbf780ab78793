import { defineConfig } from 'vitest/config';

/** The console in a real Chromium; apart from the other tests, which need nothing installed. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
