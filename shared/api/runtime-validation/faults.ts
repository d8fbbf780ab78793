import { CAPACITY_TYPE_LABEL } from '../../model/labels.ts';
import { formatRequirementSpec, type RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { toRequirements } from '../../model/requirements/requirements.ts';
import type { FeatureGateName } from '../../model/settings.ts';
import type { Metadata } from '../admission/metadata.ts';
import { CAPACITY_BUFFER } from '../custom-resources/capacity-buffer.ts';
import { EC2_NODE_CLASS, type EC2NodeClassSpec } from '../custom-resources/ec2-node-class.ts';
import { NODE_OVERLAY } from '../custom-resources/node-overlay.ts';
import { NODE_POOL, type NodePoolSpec } from '../custom-resources/node-pool.ts';
import type { FieldPath } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { readStored } from '../stored-objects/read-stored.ts';
import { readRequirement } from '../stored-objects/requirement.ts';
import { listBufferFaults, listBufferWarnings } from './buffer-faults.ts';
import { createFault, type Fault, type RuntimeSettings } from './fault.ts';
import { listClassFaults, listClassWarnings } from './node-class-faults.ts';
import { listKubeletAnnotationWarnings, listNodePoolWarnings, listPoolFaults } from './node-pool-faults.ts';
import { listOverlayFaults } from './overlay-faults.ts';

/** Faults of a stored object by their consequence. */
export interface RuntimeFaults {
  /** The controllers do not use the object. */
  readonly refusals: readonly Fault[];
  /** The object is used, but not as its text suggests. */
  readonly warnings: readonly Fault[];
}

type Judge = (object: unknown, settings: RuntimeSettings) => RuntimeFaults;

const judgeOf =
  <Spec>(
    kind: CustomKind<Spec>,
    faultsOf: (spec: Spec, settings: RuntimeSettings, metadata: Metadata, object: unknown) => RuntimeFaults,
  ): Judge =>
  (object, settings) => {
    const reading = readStored(kind, object);
    // An EC2NodeClass may be stored without a spec; other kinds are refused before they get here.
    return reading.outcome === 'read'
      ? faultsOf(reading.value.spec, settings, reading.value.metadata, object)
      : { refusals: [WITHOUT_SPEC], warnings: [] };
  };

const WITHOUT_SPEC = createFault('spec', ['spec'], 'without a spec no node can be made', 'add a spec');

const JUDGES: ReadonlyMap<string, Judge> = new Map([
  [
    NODE_POOL.kind,
    judgeOf(NODE_POOL, (spec, settings, metadata) => ({
      refusals: listPoolFaults(metadata, spec),
      warnings: [
        ...listKubeletAnnotationWarnings(metadata),
        ...listNodePoolWarnings(spec, settings),
        ...listChoiceWarnings(spec, settings),
        ...(spec.replicas === undefined ? [] : gateFaults('StaticCapacity', ['spec', 'replicas'], settings)),
      ],
    })),
  ],
  [
    EC2_NODE_CLASS.kind,
    judgeOf(EC2_NODE_CLASS, (spec, settings, _, object) => ({
      refusals: listClassRefusals(spec, settings, object),
      warnings: [
        ...listClassWarnings(spec),
        ...(spec.capacityReservationSelectorTerms
          ? gateFaults('ReservedCapacity', ['spec', 'capacityReservationSelectorTerms'], settings)
          : []),
      ],
    })),
  ],
  [
    NODE_OVERLAY.kind,
    judgeOf(NODE_OVERLAY, (spec, settings) => ({
      refusals: listOverlayFaults(spec),
      warnings: gateFaults('NodeOverlay', [], settings),
    })),
  ],
  [
    CAPACITY_BUFFER.kind,
    judgeOf(CAPACITY_BUFFER, (spec, settings) => ({
      refusals: listBufferFaults(spec),
      warnings: [...listBufferWarnings(spec), ...gateFaults('CapacityBuffer', [], settings)],
    })),
  ],
]);

/** A controller reports its first refusal only, so the whole class is tried if no single setting is at fault. */
function listClassRefusals(spec: EC2NodeClassSpec, settings: RuntimeSettings, object: unknown): readonly Fault[] {
  const faults = listClassFaults(spec, settings);
  const refusal = faults.length > 0 ? undefined : settings.findClassRefusal?.(object, settings);
  if (!refusal) return faults;
  const field = refusal.reason.startsWith('UserData') ? 'userData' : 'tags';
  return [createFault(refusal.reason, ['spec', field], refusal.message, `correct ${field}`)];
}

const gateFaults = (gate: FeatureGateName, path: Fault['path'], { gates }: RuntimeSettings): readonly Fault[] =>
  gates[gate]
    ? []
    : [
        createFault(
          'gate',
          path,
          `stored, and not acted on: the feature gate ${gate} is off`,
          `set FEATURE_GATES=${gate}=true`,
        ),
      ];

/** Lists the faults that keep a stored object from working as written. */
export const listRuntimeFaults = (
  { kind }: Pick<CustomKind, 'kind'>,
  object: unknown,
  settings: RuntimeSettings,
): RuntimeFaults => JUDGES.get(kind)?.(object, settings) ?? { refusals: [], warnings: [] };

/**
 * With fewer types, a shortage of some leaves nothing to launch, and spot interruptions are more
 * frequent.
 */
const MIN_SPOT_TYPES = 20;

type CountTypes = NonNullable<RuntimeSettings['countTypes']>;

/** Warns of a pool whose requirements leave EC2 no choice, or little for spot capacity. */
function listChoiceWarnings({ template }: NodePoolSpec, { countTypes }: RuntimeSettings): readonly Fault[] {
  if (!countTypes) return [];
  const requirements = template.spec.requirements.map(readRequirement);
  const excluding = findExcluding(requirements, countTypes);
  return excluding.length > 0 ? [noTypesFault(requirements, excluding)] : listSpotWarnings(requirements, countTypes);
}

/** Returns the positions of the fewest requirements that together leave no instance type. */
function findExcluding(requirements: readonly RequirementSpec[], countTypes: CountTypes): readonly number[] {
  const leaveNone = (positions: readonly number[]): boolean => {
    const some = requirements.filter((_, index) => positions.includes(index));
    return contradict(some) || countTypes(toRequirements(some), ANY_ONE) === 0;
  };
  const all = requirements.map((_, index) => index);
  if (!leaveNone(all)) return [];
  return all.reduce<readonly number[]>((kept, one) => {
    const others = kept.filter((index) => index !== one);
    return leaveNone(others) ? others : kept;
  }, all);
}

const ANY_ONE = { maxCount: 1, isSpot: false } as const;

/** True if a node would need a label with two values at once. */
const contradict = (requirements: readonly RequirementSpec[]): boolean =>
  [...Map.groupBy(requirements, ({ key }) => key).values()].some((same) => {
    if (same.some(({ operator }) => operator !== 'In')) return false;
    const lists = same.map(({ values = [] }) => values);
    return !lists[0]?.some((value) => lists.every((values) => values.includes(value)));
  });

function noTypesFault(requirements: readonly RequirementSpec[], excluding: readonly number[]): Fault {
  const texts = excluding.flatMap((index) => {
    const requirement = requirements[index];
    return requirement ? [`${requirement.key} ${formatRequirementSpec(requirement)}`] : [];
  });
  const isOne = texts.length === 1;
  return createFault(
    'no-types',
    pathOf(excluding.at(-1) ?? 0),
    `${texts.join(' and ')} ${isOne ? 'leaves' : 'together leave'} no instance type: the pool launches nothing`,
    isOne ? 'widen it, or take it out' : 'widen one of them, or take it out',
  );
}

const pathOf = (index: number): FieldPath => ['spec', 'template', 'spec', 'requirements', index];

function listSpotWarnings(requirements: readonly RequirementSpec[], countTypes: CountTypes): readonly Fault[] {
  const index = requirements.findIndex(
    ({ key, operator, values }) => key === CAPACITY_TYPE_LABEL && operator === 'In' && values?.includes('spot'),
  );
  if (index < 0) return [];
  const count = countTypes(toRequirements(requirements), {
    maxCount: MIN_SPOT_TYPES,
    isSpot: true,
  });
  if (count >= MIN_SPOT_TYPES) return [];
  return [
    createFault(
      'spot',
      pathOf(index),
      `${count} instance types are left for spot; ${MIN_SPOT_TYPES} or more are interrupted less`,
      'allow more families, generations or sizes',
    ),
  ];
}
