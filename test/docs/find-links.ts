/** A link of a Markdown text to something that is not on the Internet. */
export interface LocalLink {
  /** Below the folder of the text; empty: the text itself. */
  readonly path: string;
  /** Of a heading; empty: the top. */
  readonly anchor: string;
}

/** Links and pictures, those in code left out. */
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

/** Anchors of the headings, as GitHub makes them: a second of the same name gets `-1`. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const headings = markdown
    .replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '')
    .matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm);
  const anchors = [...headings].map(([, heading = '']) => {
    const slug = slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(anchors);
}

/** Letters, digits, `-` and `_` in lower case; a link in a heading counts by its text. */
const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
