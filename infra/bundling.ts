/**
 * The esbuild options of every function. Plain values, so that the test that measures the bundles
 * uses the same ones.
 */
export const BUNDLING = {
  target: 'node24',
  minifyWhitespace: true,
  minifySyntax: true,
  minifyIdentifiers: true,
  /** Prefer ES modules: CommonJS makes the SDK a quarter larger. */
  mainFields: ['module', 'main'],
  /** CommonJS packages inside an ES module call `require`. */
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
} as const;
