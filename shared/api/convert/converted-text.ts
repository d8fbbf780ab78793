import { Document, type Node } from 'yaml';
import { kubectlTags } from '../yaml-words.ts';
import { carryComments } from './comments.ts';
import type { ConvertedObject } from './convert-manifests.ts';

/** The objects as documents of one YAML stream, with the comments that their sources had. */
export const manifestsYaml = (objects: readonly ConvertedObject[]): string =>
  objects.map(yamlOf).join('---\n');

function yamlOf({ object, source }: ConvertedObject): string {
  const document = new Document<Node>(object, {
    aliasDuplicateObjects: false,
    // Words that kubectl takes for true or for numbers get their quotes.
    version: '1.1',
    customTags: kubectlTags,
  });
  const { root } = source.document;
  // An object of a list has no document of its own.
  if (source.at.length === 0) carryComments(root, document, source.kind);
  return document.toString({ lineWidth: 0 });
}

/** The objects as one List, as kubectl applies it. */
export const manifestsJson = (objects: readonly ConvertedObject[]): string =>
  `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects.map(({ object }) => object) }, undefined, 2)}\n`;
