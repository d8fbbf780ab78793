import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** `npm run test:long`: long simulations and the recorded cases. */
export default defineConfig({
  test: { ...base.test, include: ['test/**/*.long.test.ts'], exclude: ['test/browser/**'] },
});
