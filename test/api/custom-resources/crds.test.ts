import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit } from '../../../shared/api/admission/admit.ts';
import { convertManifests } from '../../../shared/api/convert/convert-manifests.ts';
import { manifestsJson, manifestsYaml } from '../../../shared/api/convert/converted-text.ts';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import { unfold } from '../../../shared/api/manifests/manifest-object.ts';
import { readYaml } from '../../../shared/api/manifests/yaml-documents.ts';
import { buffer, nodeClaim, overlay } from '../checklist/builders.ts';
import { anyObjectOf, anyVariantOf } from '../support/any-object.ts';
import { documents, nodeClass, nodePool } from '../support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const SOUND = {
  NodePool: nodePool(),
  NodeClaim: nodeClaim(),
  EC2NodeClass: nodeClass(),
  NodeOverlay: overlay(),
  CapacityBuffer: buffer({ podTemplateRef: { name: 'web' }, replicas: 1 }),
} as const;

const KINDS = Object.values(SOUND).map((sound, index) => {
  const kind = CUSTOM_KINDS[index];
  if (!kind) throw new Error(`no kind for ${sound.kind}`);
  return { name: kind.kind, kind, sound };
});

const valuesIn = (text: string): readonly unknown[] =>
  readYaml(text).documents.flatMap((document) => unfold('', document).objects.map(({ value }) => value));

/** As `mortise convert` writes v1 objects. */
const rewritten = (object: Fields) =>
  convertManifests([{ file: '', text: documents(object) }], { ignoreDefaults: false }).objects;

/** Reverses the order of map keys; lists keep theirs. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, turned(item)] as const);
  return Object.fromEntries(entries.toReversed());
}

describe.each(KINDS)('a valid $name', ({ kind, sound }) => {
  const anyOne = fc.oneof(anyVariantOf(kind, sound), anyObjectOf(kind));

  it('is read as it was written, from YAML and from JSON', () => {
    fc.assert(
      fc.property(anyOne, (object) => {
        if (admit(kind, object).outcome === 'refused') return;
        const objects = rewritten(object);

        expect(objects.map((one) => one.object)).toEqual([object]);
        expect(valuesIn(manifestsYaml(objects))).toEqual([object]);
        expect(valuesIn(manifestsJson(objects))).toEqual([object]);
      }),
    );
  });

  it('does not change if its stored form is applied again', () => {
    fc.assert(
      fc.property(anyOne, (object) => {
        const first = admit(kind, object);
        if (first.outcome === 'refused') return;

        expect(admit(kind, first.object, first.object)).toEqual(first);
      }),
    );
  });

  it('gets the same verdict in any order of map keys', () => {
    fc.assert(
      fc.property(anyOne, (object) => {
        const [one, other] = [admit(kind, object), admit(kind, turned(object))];

        expect(other.outcome).toBe(one.outcome);
        if (one.outcome === 'accepted') expect(other).toEqual(one);
      }),
    );
  });
});
