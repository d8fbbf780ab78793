import { readdir, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** Attributes of tags that name a file of the site, or an anchor in one. */
const TARGETS = /<(?:a|link|img|script|source)\b[^>]*?\s(?:href|src)="([^"]*)"/g;

/**
 * Lists links whose file is not in the site, and anchors that the file does not have, as `page: target`.
 * VitePress itself compares Markdown links with Markdown files, and not with the pages that it writes.
 *
 * @param folder - the built site
 * @param base - the path of the site on its host, with a slash at both ends
 */
export async function findDeadLinks(folder: string, base = '/'): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  const pages = new Map<string, string>();
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    pages.set(file, await readFile(join(folder, file), 'utf8'));
  }
  const isFile = async (path: string): Promise<boolean> =>
    (await stat(join(folder, path)).catch(() => undefined))?.isFile() ?? false;
  const dead = new Set<string>();
  for (const [page, html] of pages) {
    for (const [, written = ''] of html.matchAll(TARGETS)) {
      const target = written.replaceAll('&amp;', '&');
      if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target)) continue;
      const [path = '', anchor = ''] = target.split('#');
      const file = path === '' ? page : toFile(path, page, base);
      const isThere =
        file !== undefined &&
        (await isFile(file)) &&
        (anchor === '' || pages.get(file)?.includes(`id="${decodeURIComponent(anchor)}"`));
      if (!isThere) dead.add(`${page}: ${target}`);
    }
  }
  return [...dead];
}

/** @returns the path in the folder; undefined if it is outside of the site */
function toFile(written: string, page: string, base: string): string | undefined {
  const path = decodeURIComponent(written.replace(/\?.*$/, ''));
  if (path.startsWith('/') && !path.startsWith(base)) return undefined;
  const inSite = path.startsWith('/') ? path.slice(base.length) : posix.join(posix.dirname(page), path);
  return posix.normalize(inSite === '' || inSite.endsWith('/') ? `${inSite}index.html` : inSite);
}
