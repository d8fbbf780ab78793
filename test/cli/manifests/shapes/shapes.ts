import { stringify } from 'yaml';
import type { Draw, Manifest } from './objects.ts';

/** A form in which files have objects. */
export interface Shape {
  readonly name: string;
  /** `never`: a program has to make manifests of it first, or no parser reads it. */
  readonly isManifest: 'always' | 'never';
  /** All objects must be of one kind. */
  readonly isOfOneKind?: true;
  write(objects: readonly Manifest[], draw: Draw): Readonly<Record<string, string>>;
}

/** kubectl reads YAML 1.1, in which an unquoted `yes` is no text. */
const yaml = (value: unknown): string => stringify(value, { lineWidth: 0, version: '1.1' });
const join = (objects: readonly Manifest[]): string => objects.map(yaml).join('---\n');
const single = (text: string): Readonly<Record<string, string>> => ({ 'all.yaml': text });
const list = (items: readonly unknown[]) => ({ apiVersion: 'v1', kind: 'List', items });

const LICENCE = '# Copyright The Shop\n#\n# Licensed under the Apache License, Version 2.0\n\n';

/** Adds the fields that an API server writes into an object. */
const asStored = (object: Manifest, draw: Draw): Manifest => ({
  ...object,
  metadata: {
    ...object.metadata,
    uid: `0b0c7e6e-0000-4000-8000-${Math.floor(draw.share(object.metadata.name) * 1e12)}`,
    resourceVersion: '123456',
    generation: 2,
    creationTimestamp: '2026-01-05T08:00:00Z',
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Apply',
        apiVersion: object.apiVersion,
        time: '2026-01-05T08:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {},
      },
    ],
  },
});

/** Replaces the discovery tag, which is text for every kind, by a placeholder. */
const fill = (text: string, placeholder: string): string =>
  text.includes('discovery: shop')
    ? text.replace('discovery: shop', `discovery: ${placeholder}`)
    : text.replace(/name: ([\w-]+)/, `name: ${placeholder}`);

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: texts that other programs fill in.
export const SHAPES: readonly Shape[] = [
  { name: 'documents', isManifest: 'always', write: (objects) => single(join(objects)) },
  {
    name: 'documents with a licence, empty ones and an end',
    isManifest: 'always',
    write: (objects) => single(`${LICENCE}---\n---\n${join(objects)}---\n# the end\n...\n`),
  },
  { name: 'a List', isManifest: 'always', write: (objects) => single(yaml(list(objects))) },
  {
    name: 'a typed list',
    isManifest: 'always',
    isOfOneKind: true,
    write: (items) =>
      single(
        yaml({
          apiVersion: items[0]?.apiVersion,
          kind: `${items[0]?.kind}List`,
          metadata: {},
          items,
        }),
      ),
  },
  {
    name: 'kubectl get -A -o yaml',
    isManifest: 'always',
    write: (objects, draw) =>
      single(
        yaml({
          ...list(objects.map((object) => asStored(object, draw))),
          metadata: { resourceVersion: '' },
        }),
      ),
  },
  {
    name: 'a JSON list',
    isManifest: 'always',
    write: (objects) => ({ 'all.json': JSON.stringify(list(objects), undefined, 4) }),
  },
  {
    name: 'JSON lines',
    isManifest: 'always',
    write: (objects) => ({
      'all.json': objects.map((object) => `${JSON.stringify(object)}\n`).join(''),
    }),
  },
  {
    name: 'a stream of JSON',
    isManifest: 'always',
    write: (objects) => ({
      'all.json': objects.map((object) => JSON.stringify(object, undefined, 2)).join('\n'),
    }),
  },
  {
    name: 'the output of helm template',
    isManifest: 'always',
    write: (objects) =>
      single(
        objects.map((object) => `---\n# Source: shop/templates/${object.metadata.name}.yaml\n${yaml(object)}`).join(''),
      ),
  },
  {
    name: 'a kustomize tree',
    isManifest: 'always',
    write: (objects) => ({
      'kustomization.yaml': yaml({
        apiVersion: 'kustomize.config.k8s.io/v1beta1',
        kind: 'Kustomization',
        resources: objects.map((_, at) => `${at}.yaml`),
      }),
      ...Object.fromEntries(objects.map((object, at) => [`${at}.yaml`, yaml(object)])),
    }),
  },
  {
    name: 'documents beside a file of comments',
    isManifest: 'always',
    write: (objects) => ({
      'all.yaml': join(objects),
      'notes.yaml': '# nothing yet\n#- a: b\n',
      'empty.yaml': '',
    }),
  },
  {
    name: 'a byte order mark',
    isManifest: 'always',
    write: (objects) => single(`\uFEFF${join(objects)}`),
  },
  {
    name: 'line ends of Windows',
    isManifest: 'always',
    write: (objects) => single(join(objects).replaceAll('\n', '\r\n')),
  },
  {
    name: 'tabs after values and in comments',
    isManifest: 'always',
    write: (objects) => single(join(objects).replaceAll(/^(kind: \w+)$/gm, '$1\t# a\ttab\t')),
  },
  {
    name: 'anchors and merge keys',
    isManifest: 'always',
    write: (objects) =>
      single(
        objects
          .map((object) =>
            yaml(object).replace(
              /^metadata:\n {2}name: (.*)$/m,
              'metadata: &meta\n  name: &name $1\n  annotations: {<<: {a: *name}, b: *name}',
            ),
          )
          .join('---\n'),
      ),
  },
  {
    name: 'flow style and quotes',
    isManifest: 'always',
    write: (objects) => single(objects.map((object) => `--- ${JSON.stringify(object)}\n`).join('')),
  },
  {
    name: 'documents without a separator',
    isManifest: 'never',
    write: (objects) => single([...objects, ...objects].map(yaml).join('')),
  },
  {
    name: 'tabs as indentation',
    isManifest: 'never',
    write: (objects) => single(join(objects).replaceAll(/^ {2}(?=\S)/gm, '\t')),
  },
  {
    name: 'a template of Helm',
    isManifest: 'never',
    write: (objects, draw) =>
      single(
        fill(
          join(objects),
          draw.oneOf('helm', [
            '{{ .Values.cluster }}',
            '"{{ .Values.cluster }}"',
            '{{ include "shop.name" . | quote }}',
          ]),
        ),
      ),
  },
  {
    name: 'a template of Terraform or envsubst',
    isManifest: 'never',
    write: (objects, draw) =>
      single(
        fill(join(objects), draw.oneOf('terraform', ['${cluster_name}', '"${CLUSTER_NAME}"', '${CLUSTER_NAME:-shop}'])),
      ),
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above.
