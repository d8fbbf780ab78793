import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/properties.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**'],
    testTimeout: 30_000,
  },
});
