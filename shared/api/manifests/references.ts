import * as z from 'zod';
import { findNearestWord } from '../../model/nearest-word.ts';
import { type ManifestFinding, quoteUnlessName } from '../finding.ts';
import { isRecord } from '../schema/schema.ts';
import { isOurClass } from '../stored-objects/ec2-node-class.ts';
import type { ManifestProblem } from './cluster-manifests.ts';
import { describeObject, type IdentifiedObject } from './identified-object.ts';
import { problemAt } from './manifest-object.ts';

/**
 * Keeps the first of equal objects, as kubectl applies them one after the other. The folders of a
 * repository often declare the same Namespace each.
 */
export function dropRepeatedObjects(objects: readonly IdentifiedObject[]): readonly IdentifiedObject[] {
  const byKey = Map.groupBy(objects, describeObject);
  const repeated = new Set(
    [...byKey.values()].flatMap((same) => {
      if (same.length === 1) return [];
      const texts = same.map(toComparableText);
      return same.filter((_, index) => texts.indexOf(texts[index] ?? '') < index);
    }),
  );
  return repeated.size === 0 ? objects : objects.filter((object) => !repeated.has(object));
}

/** The namespace is part of the key, where an absent one means the same as `default`. */
const toComparableText = ({ value: { metadata, ...others } }: IdentifiedObject): string =>
  JSON.stringify(
    { ...others, metadata: isRecord(metadata) ? { ...metadata, namespace: null } : metadata },
    sortEntries,
  );

/** The order of keys does not count, and null counts as absent, as for the API server. */
const sortEntries = (_key: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, entry]) => entry !== null)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    : value;

/** Reports objects whose kind and name an earlier object has. */
export function findDuplicates(objects: readonly IdentifiedObject[]): readonly ManifestProblem[] {
  const firstByKey = new Map<string, IdentifiedObject>();
  return objects.flatMap((object) => {
    const key = describeObject(object);
    const first = firstByKey.get(key);
    if (!first) {
      firstByKey.set(key, object);
      return [];
    }
    const { line } = first.document.positionOf(first.at, 'value');
    const finding: ManifestFinding = {
      code: 'duplicate-object',
      path: ['metadata', 'name'],
      what: `${key} is there twice`,
      why: `the first is at ${first.file}:${line}, document ${first.document.number}`,
      fix: 'rename one, or take it out',
    };
    return [problemAt(object, finding, key)];
  });
}

const poolSchema = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        nodeClassRef: z.object({ group: z.string(), kind: z.string(), name: z.string().min(1) }),
      }),
    }),
  }),
});

/**
 * Reports NodePools whose NodeClass is neither in the files nor present. It reads the raw values, so
 * that other faults do not hide this one.
 */
export function findMissingClasses(
  objects: readonly IdentifiedObject[],
  present: readonly string[],
): readonly ManifestProblem[] {
  const written = objects.filter(({ kind }) => kind === 'EC2NodeClass').map(({ name }) => name);
  const classes = new Set([...present, ...written]);
  return objects.flatMap((object) => {
    if (object.kind !== 'NodePool') return [];
    const ref = poolSchema.safeParse(object.value).data?.spec.template.spec.nodeClassRef;
    if (!ref || !isOurClass(ref) || classes.has(ref.name)) return [];
    return [problemAt(object, describeMissingClass(ref.name, classes), describeObject(object))];
  });
}

function describeMissingClass(name: string, classes: ReadonlySet<string>): ManifestFinding {
  const [only] = classes.size === 1 ? classes : [];
  const meant = only ?? findNearestWord(name, classes);
  return {
    code: 'missing-reference',
    path: ['spec', 'template', 'spec', 'nodeClassRef', 'name'],
    what: `no EC2NodeClass ${quoteUnlessName(name)}`,
    why: 'not in the files',
    fix: meant ? `add it, or name ${meant} in its place` : 'add it',
  };
}
