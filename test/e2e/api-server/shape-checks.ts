import { deepStrictEqual } from 'node:assert/strict';
import { convertManifests } from '../../../shared/api/convert/convert-manifests.ts';
import { manifestsYaml } from '../../../shared/api/convert/converted-text.ts';
import { createDraw, makeObject } from '../../cli/manifests/shapes/objects.ts';
import { drawOldObject } from '../../cli/manifests/shapes/old-objects.ts';
import type { Kubectl } from '../lab/kubernetes/kubectl.ts';
import type { KubectlChecks } from './checks.ts';

const DRY_RUN = ['apply', '--dry-run=server', '--validate=strict', '-f', '-'] as const;
const SAMPLES = 30;
const OURS = new Set(['NodePool', 'EC2NodeClass']);

const isAccepted = (kubectl: Kubectl, text: string | object): Promise<boolean> =>
  kubectl([...DRY_RUN], text).then(
    () => true,
    () => false,
  );

/** Checks the generated files of `mortise validate` and `mortise convert` against the API server. */
export const SHAPE_CHECKS: KubectlChecks = {
  'generated objects have the verdict that they are made for': async (kubectl) => {
    const verdicts: string[] = [];
    const expected: string[] = [];
    for (let seed = 1; seed <= SAMPLES; seed += 1) {
      const { value, isValid } = makeObject('object', createDraw(seed), seed % 2 === 0);
      verdicts.push(`${seed} ${await isAccepted(kubectl, value)}`);
      expected.push(`${seed} ${isValid}`);
    }
    deepStrictEqual(verdicts, expected);
  },

  'what mortise convert writes is accepted, strictly': async (kubectl) => {
    const objects = Array.from({ length: SAMPLES }, (_, seed) => {
      const { metadata, ...object } = drawOldObject(seed, createDraw(seed));
      return { ...object, metadata: { ...metadata, name: `converted-${seed}` } };
    });
    const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const { objects: converted, isComplete } = convertManifests([{ file: 'old.yaml', text }], {
      ignoreDefaults: false,
    });
    deepStrictEqual({ isComplete, count: converted.length }, { isComplete: true, count: SAMPLES });
    await kubectl([...DRY_RUN], manifestsYaml(converted.filter(({ object }) => OURS.has(`${object.kind}`))));
  },
};
