import type { Plugin } from 'esbuild';

/**
 * Replaces modules that concern a clone by others that find what the package contains.
 *
 * @param contents - TypeScript by absolute path
 */
export const replaceModules = (contents: Readonly<Record<string, string>>): Plugin => ({
  name: 'replace-modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const replacement = contents[path];
      return replacement === undefined ? undefined : { contents: replacement, loader: 'ts' };
    });
  },
});
