import type { BuildOptions } from 'esbuild';
import { literalSchemaKeys } from './literal-schema-keys.ts';

/** The esbuild options of every function, which tests and measurements use as well. */
export const BUNDLING = {
  // The SDK is bundled too: the runtime's version is not pinned.
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifyWhitespace: true,
  minifySyntax: true,
  minifyIdentifiers: true,
  /** Prefer ES modules: CommonJS makes the SDK a quarter larger. */
  mainFields: ['module', 'main'],
  /** CommonJS packages inside an ES module call `require`. */
  banner: {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  },
  plugins: [literalSchemaKeys],
} satisfies BuildOptions;
