import fc from 'fast-check';
import { CUSTOM_KINDS } from '../../../shared/api/custom-resources/crds.ts';
import type { CustomKind } from '../../../shared/api/schema/custom-kind.ts';
import { buffer, nodeClaim, overlay } from '../../api/checklist/builders.ts';
import { CHECKLIST } from '../../api/checklist/checklist.ts';
import { type Evaluation, expectedOf, verdictCases } from '../../api/checklist/verdict-case.ts';
import { anyObjectOf, anyVariantOf } from '../../api/support/any-object.ts';
import { nodeClass, nodePool } from '../../api/support/read-text.ts';
import { anyStrangeValue, replaced } from '../../api/support/strange-values.ts';

type KubeObject = Readonly<Record<string, unknown>>;

/** A request to the API server: it creates `object`, or changes `old` into it. */
export interface AdmissionCase {
  readonly name: string;
  readonly object: KubeObject;
  readonly old?: KubeObject;
  readonly subresource?: 'status';
  /** Undefined if the verdict of `mortise validate` is expected. */
  readonly expected?: Evaluation['verdict'];
}

/** Lists every row of the checklist, every recorded case, and generated objects. */
export const listAdmissionCases = (): readonly AdmissionCase[] => [
  ...CHECKLIST.map(({ row, object, old, verdict }) => ({
    name: `row ${row}`,
    object,
    ...(old && { old }),
    expected: verdict === 'refused' ? ('rejected' as const) : ('accepted' as const),
  })),
  ...listRecordedCases(),
  ...CUSTOM_KINDS.flatMap(madeUpQuestions),
];

/**
 * Recorded cases, except those about texts that only kubectl parses: the API server receives JSON.
 */
const listRecordedCases = (): readonly AdmissionCase[] =>
  verdictCases().flatMap((one) => {
    const object = one.new ?? one.object;
    if (!object) return [];
    const { name, old, subresource } = one;
    const { verdict } = expectedOf(one);
    return [{ name, object, ...(old && { old }), ...(subresource && { subresource }), expected: verdict }];
  });

const SOUND: Readonly<Record<string, { readonly spec: unknown }>> = {
  NodePool: nodePool(),
  NodeClaim: nodeClaim(),
  EC2NodeClass: nodeClass(),
  NodeOverlay: overlay(),
  CapacityBuffer: buffer({ podTemplateRef: { name: 'web' }, replicas: 1 }),
};

/** Fixed, so that a difference can be reproduced. */
const SEED = 20_261_121;

function madeUpQuestions(kind: CustomKind): readonly AdmissionCase[] {
  const sample = (arbitrary: fc.Arbitrary<KubeObject>, numRuns: number) =>
    fc.sample(arbitrary, { seed: SEED, numRuns });
  const anyVariant = anyVariantOf(kind, SOUND[kind.kind] ?? { spec: {} });
  const strange = fc.tuple(anyVariant, fc.integer({ min: 1, max: 40 }), anyStrangeValue).map(([object, steps, by]) => ({
    ...object,
    spec: replaced(object.spec, { left: steps }, by),
  }));
  const made = [...sample(anyVariant, 200), ...sample(anyObjectOf(kind), 30), ...sample(strange, 100)];
  return made.map((object, index) => ({ name: `made-up ${kind.kind} ${index}`, object }));
}
