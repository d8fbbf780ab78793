import type { FeatureGateName } from '../../model/feature-gates.ts';
import { readStored } from '../admission/read-stored.ts';
import { CAPACITY_BUFFER } from '../objects/capacity-buffer.ts';
import { EC2_NODE_CLASS } from '../objects/ec2-node-class.ts';
import { NODE_OVERLAY } from '../objects/node-overlay.ts';
import { NODE_POOL } from '../objects/node-pool.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { bufferFaults, bufferWarnings } from './buffer-faults.ts';
import { type Fault, fault } from './fault.ts';
import { classFaults, classWarnings } from './node-class-faults.ts';
import { poolWarnings, templateFaults } from './node-pool-faults.ts';
import { overlayFaults } from './overlay-faults.ts';
import type { RuntimeSettings } from './settings.ts';
import { spotWarnings } from './spot-warnings.ts';

type Judge = (object: unknown, settings: RuntimeSettings) => readonly Fault[];

const judgeOf =
  <Spec>(
    kind: CustomKind<Spec>,
    faultsOf: (spec: Spec, settings: RuntimeSettings) => readonly Fault[],
  ): Judge =>
  (object, settings) => {
    const reading = readStored(kind, object);
    // An EC2NodeClass may be stored without a spec; the others cannot get here unread.
    return reading.outcome === 'read' ? faultsOf(reading.value.spec, settings) : [WITHOUT_SPEC];
  };

const WITHOUT_SPEC = fault('spec', ['spec'], 'without a spec no node can be made', 'add a spec');

const JUDGES: ReadonlyMap<string, Judge> = new Map([
  [
    NODE_POOL.kind,
    judgeOf(NODE_POOL, (spec, settings) => [
      ...templateFaults(spec.template),
      ...poolWarnings(spec),
      ...spotWarnings(spec, settings),
      ...(spec.replicas === undefined
        ? []
        : gateFaults('StaticCapacity', ['spec', 'replicas'], settings)),
    ]),
  ],
  [
    EC2_NODE_CLASS.kind,
    judgeOf(EC2_NODE_CLASS, (spec, settings) => [
      ...classFaults(spec, settings),
      ...classWarnings(spec),
      ...(spec.capacityReservationSelectorTerms
        ? gateFaults('ReservedCapacity', ['spec', 'capacityReservationSelectorTerms'], settings)
        : []),
    ]),
  ],
  [
    NODE_OVERLAY.kind,
    judgeOf(NODE_OVERLAY, (spec, settings) => [
      ...overlayFaults(spec),
      ...gateFaults('NodeOverlay', [], settings),
    ]),
  ],
  [
    CAPACITY_BUFFER.kind,
    judgeOf(CAPACITY_BUFFER, (spec, settings) => [
      ...bufferFaults(spec),
      ...bufferWarnings(spec),
      ...gateFaults('CapacityBuffer', [], settings),
    ]),
  ],
]);

const gateFaults = (
  gate: FeatureGateName,
  path: Fault['path'],
  { gates }: RuntimeSettings,
): readonly Fault[] =>
  gates[gate]
    ? []
    : [
        fault(
          'gate',
          path,
          `stored, and not acted on: the feature gate ${gate} is off`,
          `set FEATURE_GATES=${gate}=true`,
        ),
      ];

/** What keeps an object that the API server has stored from being used as it says. */
export const runtimeFaults = (
  { kind }: Pick<CustomKind, 'kind'>,
  object: unknown,
  settings: RuntimeSettings,
): readonly Fault[] => JUDGES.get(kind)?.(object, settings) ?? [];
