import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/**
 * Lists links to anchors that the target does not have, as `page: path#anchor`. VitePress itself
 * refuses links to pages that do not exist.
 *
 * @param folder - the built site
 */
export async function findDeadAnchors(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) =>
    file.endsWith('.html'),
  );
  const pages = new Map<string, string>(
    await Promise.all(
      files.map(async (file) => [`/${file}`, await readFile(join(folder, file), 'utf8')] as const),
    ),
  );
  const dead = [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/<a [^>]*?href="([^"#:]*)#([^"]+)"/g)].flatMap(
      ([, path = '', anchor = '']) => {
        const file = path.replace(/\/$/, '/index.html');
        const target = path === '' ? page : posix.resolve(posix.dirname(page), file);
        const isThere = pages.get(target)?.includes(`id="${decodeURIComponent(anchor)}"`);
        return isThere ? [] : [`${page}: ${path}#${anchor}`];
      },
    ),
  );
  return [...new Set(dead)];
}
