import type { Answer } from '../../forward.ts';

/** Edits the element `<item>` of one instance. */
export type EditInstance = (xml: string, instanceId: string) => string;

const ITEM = /<(\/?)item>/g;

/** Edits each instance of a DescribeInstances response. */
export const editInstances = (answer: Answer, edit: EditInstance): Answer => editItems(answer, 'instancesSet', edit);

/** Edits each item of a list, which belongs to the instance that it names. */
export function editItems(answer: Answer, list: string, edit: EditInstance): Answer {
  const all = new RegExp(`<${list}>([\\s\\S]*?)</${list}>`, 'g');
  const text = answer.body.toString().replaceAll(all, (_, items: string) => {
    const edited = splitItems(items).map((item) => edit(item, findInstanceId(item)));
    return element(list, edited.join(''));
  });
  return { ...answer, body: Buffer.from(text) };
}

/** Splits a list into its items, which may contain lists themselves. */
function splitItems(text: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 1: slash, index, 0: tag } of text.matchAll(ITEM)) {
    if (slash === '' && depth === 0) start = index;
    depth += slash === '' ? 1 : -1;
    if (depth === 0) items.push(text.slice(start, index + tag.length));
  }
  return items;
}

const findInstanceId = (item: string): string => /<instanceId>(i-\w+)<\/instanceId>/.exec(item)?.[1] ?? '';

export const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

/** Replaces a child element, or adds it at the end. */
export function setElement(xml: string, name: string, content: string): string {
  const child = element(name, content);
  const existing = new RegExp(`<${name}>[\\s\\S]*?</${name}>|<${name}\\s*/>`);
  return existing.test(xml)
    ? xml.replace(existing, () => child)
    : xml.replace(/<\/\w+>\s*$/, (end) => `${child}${end}`);
}

/** Edits a child element; an element without it stays unchanged. */
export const editElement = (xml: string, name: string, edit: (xml: string) => string): string =>
  xml.replace(new RegExp(`<${name}>[\\s\\S]*?</${name}>`), edit);
