import fc from 'fast-check';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import type { CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import { buffer, nodeClaim, overlay } from '../../api/checklist/builders.ts';
import { CHECKLIST } from '../../api/checklist/checklist.ts';
import { expectedOf, type Verdict, verdictCases } from '../../api/checklist/verdict-case.ts';
import { anyObjectOf, anyVariantOf } from '../../api/support/any-object.ts';
import { nodeClass, nodePool } from '../../api/support/read-text.ts';
import { anyStrangeValue, replaced } from '../../api/support/strange-values.ts';

type KubeObject = Readonly<Record<string, unknown>>;

/** What is to be judged: a creation, or a change of what is stored. */
export interface AdmissionCase {
  readonly name: string;
  readonly object: KubeObject;
  readonly old?: KubeObject;
  readonly subresource?: 'status';
  /** Absent: whatever `mortise validate` says. */
  readonly expected?: Verdict['verdict'];
}

/** Every row of the checklist, every recorded case, and objects that nobody thought of. */
export const listAdmissionCases = (): readonly AdmissionCase[] => [
  ...CHECKLIST.map(({ row, object, old, verdict }) => ({
    name: `row ${row}`,
    object,
    ...(old && { old }),
    expected: verdict === 'refused' ? ('rejected' as const) : verdict,
  })),
  ...listRecordedCases(),
  ...CUSTOM_KINDS.flatMap(madeUpQuestions),
];

/** Without texts that only kubectl reads: the API server is sent JSON. */
const listRecordedCases = (): readonly AdmissionCase[] =>
  verdictCases().flatMap((one) => {
    const object = one.new ?? one.object;
    if (!object) return [];
    const { name, old, subresource } = one;
    const { verdict } = expectedOf(one);
    return [
      { name, object, ...(old && { old }), ...(subresource && { subresource }), expected: verdict },
    ];
  });

const SOUND: Readonly<Record<string, { readonly spec: unknown }>> = {
  NodePool: nodePool(),
  NodeClaim: nodeClaim(),
  EC2NodeClass: nodeClass(),
  NodeOverlay: overlay(),
  CapacityBuffer: buffer({ podTemplateRef: { name: 'web' }, replicas: 1 }),
};

/** The same in every run, so that what differs can be asked again. */
const SEED = 20_261_121;

function madeUpQuestions(kind: CustomKind): readonly AdmissionCase[] {
  const sample = (arbitrary: fc.Arbitrary<KubeObject>, numRuns: number) =>
    fc.sample(arbitrary, { seed: SEED, numRuns });
  const anyVariant = anyVariantOf(kind, SOUND[kind.kind] ?? { spec: {} });
  const strange = fc
    .tuple(anyVariant, fc.integer({ min: 1, max: 40 }), anyStrangeValue)
    .map(([object, left, by]) => ({ ...object, spec: replaced(object.spec, { left }, by) }));
  const made = [
    ...sample(anyVariant, 200),
    ...sample(anyObjectOf(kind), 30),
    ...sample(strange, 100),
  ];
  return made.map((object, index) => ({ name: `made-up ${kind.kind} ${index}`, object }));
}
