/**
 * How each function becomes one file. Plain values, so that the test that measures the bundles makes
 * them in the same way.
 */
export const BUNDLING = {
  target: 'node24',
  minify: true,
  /** ES modules first, or the SDK is a quarter larger. */
  mainFields: ['module', 'main'],
  /** CommonJS inside an ES module asks for `require`. */
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
} as const;
