import { readFile } from 'node:fs/promises';
import type { BuildOptions, Plugin } from 'esbuild';

/**
 * Lets esbuild remove the schemas of operations that a function does not call. An SDK client keeps
 * all schemas of its service in one file, with constants as keys (`{ [_iI]: _II }`). esbuild must
 * assume that such a key runs code, so it keeps the schema and all that it names: of EC2's 560 kB
 * the functions use 50 kB, and Lambda compiles the rest at each cold start.
 */
const literalSchemaKeys: Plugin = {
  name: 'literal-schema-keys',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]dist-es[/\\].*schemas_\d+\.js$/ }, async ({ path }) => ({
      contents: toLiteralKeys(await readFile(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/** Replaces computed keys by the strings that constants of the same text hold. */
export function toLiteralKeys(source: string): string {
  const constants = new Map(
    [...source.matchAll(/^const (\w+) = ("[^"\\\n]*");$/gm)].map(([, name, text]) => [name, text]),
  );
  return source.replace(/\[(\w+)\]:/g, (key, name: string) => {
    const text = constants.get(name);
    return text === undefined ? key : `${text}:`;
  });
}

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
