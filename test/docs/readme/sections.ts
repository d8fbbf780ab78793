/** Parts of a page that a script writes: between `<!-- NAME -->` and `<!-- /NAME -->`. */

const boundsOf = (page: string, name: string): { begin: number; end: number } => {
  const [opening, closing] = [`<!-- ${name} -->\n`, `   <!-- /${name} -->`];
  const begin = page.indexOf(opening) + opening.length;
  const end = page.indexOf(closing);
  if (begin < opening.length || end < begin) throw new Error(`the page has no section ${name}`);
  return { begin, end };
};

/** @throws Error if the page has no such section */
export function readSection(page: string, name: string): string {
  const { begin, end } = boundsOf(page, name);
  return page.slice(begin, end).trimEnd();
}

/** @throws Error if the page has no such section */
export function replaceSection(page: string, name: string, text: string): string {
  const { begin, end } = boundsOf(page, name);
  return `${page.slice(0, begin)}${text}\n${page.slice(end)}`;
}

/** A section of a list item as it is written outside of a list. */
export const withoutIndent = (section: string): string => section.replaceAll(/^ {3}/gm, '');
