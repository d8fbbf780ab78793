import type { FieldPath } from '../finding.ts';
import { flag, int64, listOf, mapOf, object, openMap, text } from '../schema/fields.ts';
import type { DescribedSchema } from '../schema/schema.ts';
import type { Cause, Objection } from './wrong-values.ts';

/** Name syntax, as in k8s.io/apimachinery validation. */

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_SUBDOMAIN_LENGTH = 253;
const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;

const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const MAX_LABEL_VALUE_LENGTH = 63;

export const isLabelValue = (value: string): boolean =>
  value.length <= MAX_LABEL_VALUE_LENGTH && LABEL_VALUE.test(value);

/** True if the text is a lower-case DNS subdomain of at most 253 characters. */
const isSubdomain = (text: string): boolean => text.length <= MAX_SUBDOMAIN_LENGTH && SUBDOMAIN.test(text);

/**
 * True if the text is a name of at most 63 characters, optionally with a DNS subdomain as prefix.
 */
export function isQualified(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return NAME.test(text);
  return isSubdomain(text.slice(0, slash)) && NAME.test(text.slice(slash + 1));
}

/** The schema of metadata that Kubernetes applies to every object. */

const ownerReference = object('An object that this one goes with.', {
  required: {
    apiVersion: text('Group and version of the owner.'),
    kind: text('Kind of the owner.'),
    name: text('Name of the owner.'),
    uid: text('UID of the owner.'),
  },
  optional: {
    controller: flag('Whether it is the owner that manages this object.'),
    blockOwnerDeletion: flag('Whether the owner waits for this object to go.'),
  },
});

export const METADATA = object('Metadata of an object.', {
  optional: {
    name: text('Its name.'),
    generateName: text('What its name begins with.'),
    namespace: text('Its namespace.'),
    uid: text('Which object of that name it is.'),
    labels: mapOf('Its labels.', text('Value of the label.')),
    annotations: mapOf('Its annotations.', text('Value of the annotation.')),
    finalizers: listOf('Who must agree before it goes.', text('A finalizer.')),
    ownerReferences: listOf('Objects that it goes with.', ownerReference),
    creationTimestamp: text('When it was made.'),
    deletionTimestamp: text('When its deletion was asked for.'),
    deletionGracePeriodSeconds: int64('How long it may take to go.'),
    resourceVersion: text('Its version.'),
    generation: int64('How often its spec changed.'),
    managedFields: listOf('Who wrote which field.', openMap('One writer.')),
    selfLink: text('Where it was once to be found.'),
  },
});

export type Metadata = DescribedSchema<typeof METADATA>;

/** Lists what the API server refuses in metadata whose types are right. */
export function listMetadataObjections(metadata: Metadata): readonly Objection[] {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  return [
    ...nameObjections(metadata),
    ...Object.entries(labels).flatMap(labelObjections),
    ...Object.keys(annotations)
      // Annotation prefixes may have capitals: Kubernetes lower-cases them first.
      .filter((key) => !isQualified(key.toLowerCase()))
      .map((key) => notQualified(['annotations', key], key)),
    ...tooMuchText(annotations),
    ...finalizers.flatMap((finalizer, index) =>
      isQualified(finalizer) ? [] : [notQualified(['finalizers', index], finalizer)],
    ),
    ...ownerReferences.flatMap((owner, index) =>
      (['apiVersion', 'kind', 'name', 'uid'] as const)
        .filter((field) => owner[field] === '')
        .map((field) => emptyOwner(['ownerReferences', index, field], field)),
    ),
    ...(ownerReferences.filter(({ controller }) => controller).length > 1 ? [SECOND_CONTROLLER] : []),
  ];
}

function nameObjections({ name = '', generateName = '' }: Metadata): readonly Objection[] {
  if (name === '' && generateName === '') return [NO_NAME];
  // The generated name continues after it, so it may end with a hyphen.
  const start = generateName.replace(/[-.]$/, '');
  return [
    ...(name === '' || isSubdomain(name) ? [] : [notAName(['name'], name)]),
    ...(start === '' || isSubdomain(start) ? [] : [notAName(['generateName'], generateName)]),
  ];
}

function labelObjections([key, value]: readonly [string, string]): readonly Objection[] {
  const isValue = value.length <= MAX_LABEL_VALUE_LENGTH && LABEL_VALUE.test(value);
  return [
    ...(isQualified(key) ? [] : [notQualified(['labels', key], key)]),
    ...(isValue
      ? []
      : [
          said('FieldValueInvalid', ['labels', key], {
            what: `${JSON.stringify(value)} is no label value`,
            why: `letters, digits, "-", "_" and ".", at most ${MAX_LABEL_VALUE_LENGTH} characters`,
            fix: 'shorten or respell it',
          }),
        ]),
  ];
}

const MAX_ANNOTATION_BYTES = 256 * 1024;

function tooMuchText(annotations: Readonly<Record<string, string>>): readonly Objection[] {
  const encoder = new TextEncoder();
  const bytes = Object.entries(annotations)
    .flat()
    .reduce((sum, part) => sum + encoder.encode(part).byteLength, 0);
  if (bytes <= MAX_ANNOTATION_BYTES) return [];
  return [
    said('FieldValueTooLong', ['annotations'], {
      what: 'annotations are too long',
      why: `at most ${MAX_ANNOTATION_BYTES} bytes together, found ${bytes}`,
      fix: 'keep the text elsewhere',
    }),
  ];
}

const said = (
  cause: Cause,
  path: FieldPath,
  words: { readonly what: string; readonly why: string; readonly fix: string },
): Objection => ({
  code: 'rule-refused',
  rule: `metadata.${path[0] ?? ''}`,
  cause,
  path: ['metadata', ...path],
  ...words,
});

const NO_NAME = said('FieldValueRequired', ['name'], {
  what: 'name is missing',
  why: 'an object has a name, or a generateName that one is made from',
  fix: 'name the object',
});

const notAName = (path: FieldPath, name: string): Objection =>
  said('FieldValueInvalid', path, {
    what: `${JSON.stringify(name)} is no name`,
    why: 'lower-case letters, digits, "-" and ".", a letter or digit at both ends, 253 characters at most',
    fix: 'respell it',
  });

const notQualified = (path: FieldPath, key: string): Objection =>
  said('FieldValueInvalid', path, {
    what: `${JSON.stringify(key)} is no qualified name`,
    why: 'at most 63 letters, digits, "-", "_" and ".", after a DNS name and a slash if need be',
    fix: 'write a name like example.com/team',
  });

const emptyOwner = (path: FieldPath, field: string): Objection =>
  said('FieldValueInvalid', path, {
    what: `${field} of an owner is empty`,
    why: 'an owner is named in full',
    fix: `write ${field}, or take the owner out`,
  });

const SECOND_CONTROLLER = said('FieldValueInvalid', ['ownerReferences'], {
  what: 'two owners are controllers',
  why: 'one owner at most manages an object',
  fix: 'keep controller: true on one of them',
});
