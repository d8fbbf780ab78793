import type { FeatureGateName } from '../../model/settings.ts';
import type { Metadata } from '../admission/metadata.ts';
import { CAPACITY_BUFFER } from '../custom-resources/capacity-buffer.ts';
import { EC2_NODE_CLASS, type EC2NodeClassSpec } from '../custom-resources/ec2-node-class.ts';
import { NODE_OVERLAY } from '../custom-resources/node-overlay.ts';
import { NODE_POOL } from '../custom-resources/node-pool.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { readStored } from '../stored-objects/read-stored.ts';
import { listBufferFaults, listBufferWarnings } from './buffer-faults.ts';
import { listChoiceWarnings } from './choice-faults.ts';
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
