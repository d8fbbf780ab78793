/** A link in a Markdown text to a target outside the Internet. */
export interface LocalLink {
  /** The path relative to the folder of the text; empty for the text itself. */
  readonly path: string;
  /** The anchor of a heading; empty for the top. */
  readonly anchor: string;
}

/** Lists links and images, without those in code. */
export function localLinksIn(markdown: string): readonly LocalLink[] {
  const prose = withoutCode(markdown);
  const targets = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s+<?(\S+?)>?\s*$/gm),
    ...prose.matchAll(/\s(?:src|href)="([^"]+)"/g),
  ].flatMap(([, target = '']) => (/^[a-z][a-z+.-]*:/i.test(target) ? [] : [target]));
  return targets.map((target) => {
    const [path = '', anchor = ''] = target.split('#');
    return { path: decodeURIComponent(path), anchor };
  });
}

const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** Lists the anchors of the headings like GitHub: a second heading of the same name gets `-1`. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const observed = new Map<string, number>();
  const headings = markdown.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm);
  const anchors = [...headings].map(([, heading = '']) => {
    const slug = slugOf(heading);
    const count = observed.get(slug) ?? 0;
    observed.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}

/** Letters, digits, `-` and `_` in lower case. A link in a heading counts with its text. */
const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
