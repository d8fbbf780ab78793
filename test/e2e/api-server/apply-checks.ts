import { deepStrictEqual } from 'node:assert/strict';
import { admit } from '../../../shared/api/admission/admit.ts';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import { validateManifests } from '../../../shared/api/validate/validate-manifests.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import { GUIDES } from '../../api/support/guides.ts';
import { nodePool } from '../../api/support/read-text.ts';
import type { Kubectl } from '../lab/kubernetes/kubectl.ts';
import { expect } from '../scenario.ts';
import { type KubectlChecks, refusalOf } from './checks.ts';
import { LARGEST, type Sample, WRITTEN } from './samples.ts';

const ALL_KINDS = CUSTOM_KINDS.map(({ plural }) => plural).join();

async function storedSpec(kubectl: Kubectl, { kind, object }: Sample): Promise<unknown> {
  const name = `${object.metadata.name}`;
  const text = await kubectl(['get', kind.plural, name, '-o', 'jsonpath={.spec}']);
  return JSON.parse(text) as unknown;
}

function admittedSpec({ kind, object }: Sample): unknown {
  const admission = admit(kind, object);
  return admission.outcome === 'accepted' ? admission.object.spec : admission.objections;
}

/** Checks that objects which are applied to the API server are read back as they were written. */
export const APPLY_CHECKS: KubectlChecks = {
  'what is read back is what was applied, and the defaults': async (kubectl) => {
    for (const sample of WRITTEN) {
      await kubectl(['apply', '-f', '-'], sample.object);
      deepStrictEqual(await storedSpec(kubectl, sample), admittedSpec(sample));
    }
  },

  'what kubectl writes out is accepted by mortise validate, and changes nothing': async (kubectl) => {
    const text = await kubectl(['get', ALL_KINDS, '-o', 'yaml']);
    const gates = { ...DEFAULT_GATES, NodeOverlay: true, CapacityBuffer: true };
    const judged = validateManifests([{ file: 'live.yaml', text }], { kubernetesMinor: 36, gates });
    await kubectl(['replace', '-f', '-'], text);
    const path = '{range .items[*]}{.metadata.generation} {end}';
    const generations = await kubectl(['get', ALL_KINDS, '-o', `jsonpath=${path}`]);

    deepStrictEqual(
      // The API server accepts also what the controllers would launch nothing from.
      judged.map(({ kind, verdict }) => `${kind} ${verdict === 'refused' ? verdict : 'accepted'}`),
      WRITTEN.map(({ kind }) => `${kind.kind} accepted`),
    );
    deepStrictEqual(generations.trim(), WRITTEN.map(() => '1').join(' '));
  },

  'a field that nobody knows is refused': async (kubectl) => {
    const text = await refusalOf(kubectl(['apply', '-f', '-'], nodePool({ wieght: 1 })));

    expect(text.includes('unknown field "spec.wieght"'), text);
  },

  'a rule that is broken is named at its field': async (kubectl) => {
    const requirements = [{ key: 'a', operator: 'In' }];
    const broken = { ...nodePool({}, { requirements }), metadata: { name: 'broken' } };
    const text = await refusalOf(kubectl(['apply', '-f', '-'], broken));

    expect(text.includes('spec.template.spec.requirements[0]'), text);
    expect(text.includes('NP-05: In needs at least one value'), text);
  },

  'manifests of operator guides are taken, strictly': async (kubectl) => {
    await kubectl(['create', 'namespace', 'shop']);
    for (const [file, text] of Object.entries(GUIDES)) {
      const flags = ['--server-side', '--dry-run=server', '--validate=strict'];
      const taken = await kubectl(['apply', ...flags, '-f', '-'], text);

      deepStrictEqual(taken.match(/applied/g)?.length, text.match(/^kind:/gm)?.length, file);
    }
  },

  'the largest objects are judged within the budget that rules have': async (kubectl) => {
    for (const object of LARGEST) {
      const text = await kubectl(['apply', '--server-side', '--dry-run=server', '-f', '-'], object);

      expect(text.includes('serverside-applied'), text);
    }
  },
};
