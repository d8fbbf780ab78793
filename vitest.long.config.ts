import { mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

const config = mergeConfig(base, {});
config.test = { ...config.test, include: ['test/**/*.long.test.ts'], exclude: ['test/browser/**'] };
export default config;
